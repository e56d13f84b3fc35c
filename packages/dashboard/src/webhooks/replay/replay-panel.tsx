import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormProblem } from '../../ui/form-problem.js';
import { Panel } from '../../ui/panel.js';
import { PanelTitle } from '../../ui/text.js';
import { cancel, lastReplayQuery, type Replay } from './replay-queries.js';
import { replayWords } from './replay-words.js';

/** The progress of a replay, while it runs and after it has ended in front of the user. */
export function ReplayPanel({ webhookId }: { readonly webhookId: string }) {
  const [openedAt] = useState(() => new Date());
  const [closed, setClosed] = useState<string>();
  const { data: replay } = useQuery(lastReplayQuery(webhookId));
  if (!replay || replay.operation_id === closed) return null;
  const { status, ended_at: ended } = replay;
  if (status !== 'running' && (ended === null || new Date(ended) < openedAt)) return null;
  return <Told replay={replay} onClose={() => setClosed(replay.operation_id)} />;
}

function Told({ replay, onClose }: { readonly replay: Replay; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { operation_id: operationId, status, progress } = replay;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => cancel(queries, operationId),
  });
  const isRunning = status === 'running';
  const share = shareOf(replay);
  return (
    <Panel aria-labelledby="replay-title">
      <Stack gap="sm">
        <Group justify="space-between">
          <PanelTitle id="replay-title">Replay</PanelTitle>
          {isRunning ? (
            <Button variant="default" size="xs" loading={isPending} onClick={() => mutate()}>
              Cancel replay
            </Button>
          ) : (
            <Button variant="subtle" size="xs" onClick={onClose}>
              Close
            </Button>
          )}
        </Group>
        <Progress
          value={100 * (isRunning ? share : progress)}
          aria-label="How far the replay has come"
        />
        <Text size="sm" role="status">
          {replayWords(replay)}
        </Text>
        <FormProblem error={error} fields={[]} />
      </Stack>
    </Panel>
  );
}

/** Returns the progress by deliveries when their number is known exactly, otherwise by time. */
const shareOf = ({ count, count_is_exact: isExact, sent, skipped, progress }: Replay): number =>
  isExact && count > 0 ? Math.min(1, (sent + skipped) / count) : progress;

import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { LinkAnchor } from '../ui/links.js';
import { Panel } from '../ui/panel.js';
import { RelativeTime } from '../ui/relative-time.js';
import { durationWords } from '../ui/relative-words.js';
import { labelOfKind } from '../webhooks/event-kinds.js';
import { urlParts } from '../webhooks/url-parts.js';
import { type LiveAttempt, useTail } from './live.js';
import classes from './live-tail.module.css';
import { httpStatus, resultWords } from './result-words.js';

export interface LiveTailProps {
  readonly urls: ReadonlyMap<string, string> | undefined;
}

/** Attempts as they are made. Not read aloud one by one: a busy tail would never be silent. */
export function LiveTail({ urls }: LiveTailProps) {
  const [isPaused, setPaused] = useState(false);
  const { attempts, missed } = useTail(isPaused);
  return (
    <Panel aria-labelledby="tail-title">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4" id="tail-title">
            Live
          </Title>
          <Button
            size="xs"
            variant="default"
            leftSection={isPaused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
            onClick={() => setPaused(!isPaused)}
          >
            {isPaused ? 'Go on' : 'Pause'}
          </Button>
        </Group>
        <Text size="sm" c="var(--text-quiet)" role="status">
          {stateInWords(isPaused, missed, attempts.length)}
        </Text>
        {attempts.length > 0 && (
          <div
            className={classes['tail']}
            role="log"
            aria-live="off"
            aria-label="Latest attempts"
            tabIndex={0}
          >
            <ol>
              {attempts.map((attempt) => (
                <Line
                  key={`${attempt.delivery_id}/${attempt.attempt}`}
                  attempt={attempt}
                  url={urls?.get(attempt.webhook_id)}
                />
              ))}
            </ol>
          </div>
        )}
      </Stack>
    </Panel>
  );
}

function stateInWords(isPaused: boolean, missed: number, shown: number): string {
  if (isPaused) return missed === 0 ? 'Paused.' : `Paused; ${missed} more came since.`;
  return shown === 0 ? 'Attempts appear here as they are made.' : 'The newest attempts first.';
}

interface LineProps {
  readonly attempt: LiveAttempt;
  readonly url: string | undefined;
}

function Line({ attempt, url }: LineProps) {
  const { webhook_id: webhookId, delivery_id: deliveryId, result } = attempt;
  const status = attempt.response_status;
  const isGood = result === 'succeeded';
  return (
    <li data-outcome={isGood ? 'good' : 'bad'}>
      <LinkAnchor
        to="/webhooks/$webhookId/deliveries/$deliveryId"
        params={{ webhookId, deliveryId }}
        size="sm"
      >
        {labelOfKind(attempt.event_type)}
      </LinkAnchor>
      <span className={classes['outcome']}>
        {isGood && status !== null ? httpStatus(status) : resultWords(result).short}
      </span>
      <span className={classes['quiet']}>
        {url && `${urlParts(url).host}${urlParts(url).rest} · `}
        attempt {attempt.attempt} · {durationWords(attempt.total_ms)} ·{' '}
        <RelativeTime at={attempt.at} />
      </span>
    </li>
  );
}

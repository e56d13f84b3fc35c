import { Checkbox, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../../api/types.js';
import { labelOfKind } from '../../model/event-kinds.js';
import { eventsInWords, eventTypesQuery } from '../../model/event-queries.js';
import { Disclosure } from '../../ui/disclosure.js';
import { FormDialog } from '../../ui/form-dialog.js';
import { FormProblem, wordsFor } from '../../ui/form-problem.js';
import { begin, countQuery } from './replay-queries.js';
import {
  BETWEEN,
  OUTCOMES,
  PROPOSED,
  type ReplayChoice,
  type Span,
  spanOf,
  TIMES,
} from './replay-span.js';

export interface ReplayDialogProps {
  readonly webhook: Webhook;
  readonly opened: boolean;
  readonly openedAt: Date;
  readonly onClose: () => void;
}

/** The dialog that chooses the deliveries to replay. Their number is shown before anything is sent. */
export function ReplayDialog({ webhook, opened, openedAt, onClose }: ReplayDialogProps) {
  const { webhook_id: webhookId } = webhook;
  const queries = useQueryClient();
  const [choice, setChoice] = useState(PROPOSED);
  const { data: types } = useQuery({ ...eventTypesQuery, enabled: opened });
  const kinds = types?.items.map(({ event_type: type }) => type) ?? [];
  const asked = spanOf(choice, kinds, openedAt);
  const span = opened && typeof asked === 'object' ? asked : undefined;
  const counted = useCount(webhookId, span);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (span: Span) => begin(queries, webhookId, span),
    onSuccess: () => close(),
  });
  const close = () => {
    onClose();
    reset();
    setChoice(PROPOSED);
  };
  const count = counted.data?.count ?? 0;

  return (
    <FormDialog
      title="Replay"
      action={counted.data && count > 0 ? `Send ${eventsInWords(counted.data)}` : 'Send'}
      disabled={count === 0}
      opened={opened}
      pending={isPending}
      onSubmit={() => span && count > 0 && mutate(span)}
      onClose={close}
    >
      <Text size="sm">
        Sends past events of this webhook again, each with its original content and webhook-id. New
        events go first.
      </Text>
      <Times choice={choice} onChoice={setChoice} />
      <Checkbox.Group
        label="Outcome"
        value={[...choice.outcomes]}
        onChange={(outcomes) => setChoice({ ...choice, outcomes })}
      >
        <Stack gap="xs" mt="xs">
          {OUTCOMES.map((outcome) => (
            <Checkbox key={outcome.value} {...outcome} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Kinds kinds={kinds} choice={choice} onChoice={setChoice} />
      <Text role="status" size="sm" fw={500}>
        {typeof asked === 'string' ? asked : countWords(counted)}
      </Text>
      <FormProblem error={error} fields={[]} />
    </FormDialog>
  );
}

const NOTHING: Span = { from: '', to: '' };

const useCount = (webhookId: string, span: Span | undefined) =>
  useQuery({ ...countQuery(webhookId, span ?? NOTHING), enabled: span !== undefined });

function countWords({ data, error }: ReturnType<typeof useCount>): string {
  if (error) return wordsFor(error);
  if (!data) return 'Counting …';
  if (data.count === 0) return 'No deliveries match, so there is nothing to send again.';
  const words = eventsInWords(data);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} would be sent again.`;
}

interface PartProps {
  readonly choice: ReplayChoice;
  readonly onChoice: (choice: ReplayChoice) => void;
}

const Times = ({ choice, onChoice }: PartProps) => (
  <>
    <NativeSelect
      label="Time"
      data={TIMES}
      value={choice.period}
      onChange={({ currentTarget: { value: period } }) => onChoice({ ...choice, period })}
    />
    {choice.period === BETWEEN && (
      <>
        <TextInput
          type="datetime-local"
          label="From"
          value={choice.from}
          onChange={({ currentTarget: { value: from } }) => onChoice({ ...choice, from })}
        />
        <TextInput
          type="datetime-local"
          label="Until"
          description="Empty: up to the present."
          value={choice.until}
          onChange={({ currentTarget: { value: until } }) => onChoice({ ...choice, until })}
        />
      </>
    )}
  </>
);

interface KindsProps extends PartProps {
  readonly kinds: readonly string[];
}

function Kinds({ kinds, choice, onChoice }: KindsProps) {
  const chosen = kinds.filter((kind) => !choice.withoutKinds.includes(kind));
  const summary = chosen.length === kinds.length ? 'all' : `${chosen.length} of ${kinds.length}`;
  return (
    <Disclosure summary={`Kinds of events: ${summary}`}>
      <Checkbox.Group
        aria-label="Kinds of events"
        value={chosen}
        onChange={(chosen) => {
          const withoutKinds = kinds.filter((kind) => !chosen.includes(kind));
          onChoice({ ...choice, withoutKinds });
        }}
      >
        <Stack gap="xs">
          {kinds.map((kind) => (
            <Checkbox key={kind} value={kind} label={labelOfKind(kind)} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Disclosure>
  );
}

import { NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { DeliveryOutcome } from '../deliveries/delivery-outcome.js';
import { labelOfKind } from '../model/event-kinds.js';
import { eventTypesQuery } from '../model/event-queries.js';
import { sendTest } from '../model/webhook-queries.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';

export interface TestEventDialogProps {
  readonly webhook: Webhook;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Sends an example, and shows what the receiver answers. */
export function TestEventDialog({ webhook, opened, onClose }: TestEventDialogProps) {
  const { webhook_id: webhookId, events, circuit } = webhook;
  const { data: types } = useQuery({ ...eventTypesQuery, enabled: opened });
  const kinds = types?.items.map(({ event_type: type }) => type) ?? [];
  const [chosen, setChosen] = useState<string>();
  // The first that the webhook itself would get.
  const kind = chosen ?? kinds.find((type) => events.includes(type)) ?? kinds[0];
  const {
    mutate,
    isPending,
    error,
    data: sent,
    reset,
  } = useMutation({
    mutationFn: (kind: string) => sendTest(webhookId, { event_type: kind }),
  });
  const close = () => {
    onClose();
    reset();
  };

  return (
    <FormDialog
      title="Send a test event"
      action={sent === undefined ? 'Send' : 'Send another'}
      cancel={sent === undefined ? 'Cancel' : 'Close'}
      opened={opened}
      pending={isPending || kind === undefined}
      onSubmit={() => kind !== undefined && mutate(kind)}
      onClose={close}
    >
      <Text size="sm">
        The receiver gets the example of a kind of event, marked with <code>"test": true</code>. It
        is signed and retried like any other, and goes to this webhook alone.
      </Text>
      {circuit && (
        <Text size="sm">
          We’re resting after failures of this receiver, so the test event waits like everything
          else.
        </Text>
      )}
      <NativeSelect
        label="Kind of event"
        data={kinds.map((type) => ({ value: type, label: labelOfKind(type) }))}
        value={kind ?? ''}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <FormProblem error={error} fields={[]} />
      {sent && <DeliveryOutcome key={sent} webhookId={webhookId} deliveryId={sent} />}
    </FormDialog>
  );
}

import { NativeSelect, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DeliveryOutcome } from '../deliveries/delivery-outcome.js';
import { redeliver } from '../deliveries/delivery-queries.js';
import type { Event } from '../model/event-queries.js';
import { sendTest } from '../model/webhook-queries.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';

export interface SendEventDialogProps {
  readonly event: Event;
  /** URL of each webhook. */
  readonly urls: ReadonlyMap<string, string>;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** A webhook that got the event gets the same message again; any other gets its data as a test event. */
export function SendEventDialog({ event, urls, opened, onClose }: SendEventDialogProps) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string>();
  const webhookId = chosen ?? [...urls.keys()][0] ?? '';
  const delivery = event.deliveries.find(({ webhook_id: id }) => id === webhookId);
  const {
    mutate,
    isPending,
    error,
    data: sent,
    reset,
  } = useMutation({
    mutationFn: async () => ({
      webhookId,
      deliveryId: delivery
        ? await redeliver(queries, webhookId, delivery.delivery_id)
        : await sendTest(webhookId, { message_id: event.message_id }),
    }),
  });
  const close = () => {
    onClose();
    reset();
  };

  return (
    <FormDialog
      title="Send this event to a webhook"
      action={sent === undefined ? 'Send' : 'Send again'}
      cancel={sent === undefined ? 'Cancel' : 'Close'}
      opened={opened}
      pending={isPending}
      onSubmit={() => mutate()}
      onClose={close}
    >
      <NativeSelect
        label="Webhook"
        data={[...urls].map(([value, label]) => ({ value, label }))}
        value={webhookId}
        onChange={({ currentTarget: { value } }) => {
          setChosen(value);
          reset();
        }}
      />
      <Text size="sm">
        {delivery
          ? 'This webhook has a delivery of the event. It gets the same message again, with the same webhook-id.'
          : 'This webhook did not get the event. It gets the same data as a test event, marked with "test": true.'}
      </Text>
      <FormProblem error={error} fields={[]} />
      {sent && <DeliveryOutcome key={sent.deliveryId} {...sent} />}
    </FormDialog>
  );
}

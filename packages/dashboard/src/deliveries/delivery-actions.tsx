import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DeliveryDetail, Webhook } from '../api/types.js';
import { FormProblem } from '../ui/form-problem.js';
import { IconRefresh } from '../ui/icons.js';
import { Quiet } from '../ui/text.js';
import { DeliveryOutcome } from './delivery-outcome.js';
import { redeliver } from './delivery-queries.js';
import { redeliveryOf } from './redeliver-words.js';

export interface DeliveryActionsProps {
  readonly delivery: DeliveryDetail;
  readonly webhook: Webhook;
}

/** Sends a delivery again, or sooner; what comes of a new one is told as it comes. */
export function DeliveryActions({ delivery, webhook }: DeliveryActionsProps) {
  const { webhook_id: webhookId, delivery_id: deliveryId } = delivery;
  const queries = useQueryClient();
  const {
    mutate,
    isPending,
    error,
    data: sent,
  } = useMutation({
    mutationFn: () => redeliver(queries, webhookId, deliveryId),
  });
  const redelivery = redeliveryOf(delivery, webhook);
  const isNew = sent !== undefined && sent !== deliveryId;

  return (
    <Stack gap="sm">
      {redelivery?.label && (
        <div>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isPending}
            onClick={() => mutate()}
          >
            {redelivery.label}
          </Button>
        </div>
      )}
      {redelivery && !isNew && <Quiet>{redelivery.about}</Quiet>}
      <FormProblem error={error} fields={[]} />
      <div role="status">
        {sent === deliveryId && <Text size="sm">You asked for an extra attempt.</Text>}
        {isNew && <Text size="sm">Sent again as a new delivery. Its result:</Text>}
      </div>
      {isNew && <DeliveryOutcome key={sent} webhookId={webhookId} deliveryId={sent} />}
    </Stack>
  );
}

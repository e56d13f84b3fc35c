import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Webhook } from '../api/types.js';
import { DeliveryOutcome } from '../deliveries/delivery-outcome.js';
import { probe, webhookQuery } from '../model/webhook-queries.js';
import { FormProblem } from '../ui/form-problem.js';
import { IconRefresh } from '../ui/icons.js';
import { Quiet } from '../ui/text.js';

/** Tries a webhook that rests after failures, and shows what its receiver answers, also once it rests no more. */
export function Probe({ webhook }: { readonly webhook: Webhook }) {
  const { webhook_id: webhookId, state, circuit } = webhook;
  const queries = useQueryClient();
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => probe(webhookId),
    onSuccess: () => void queries.invalidateQueries({ queryKey: webhookQuery(webhookId).queryKey }),
  });
  return (
    <>
      {state === 'failing' && circuit && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={isPending}
            onClick={() => mutate()}
          >
            Try now
          </Button>
        </div>
      )}
      <FormProblem error={error} fields={[]} />
      {data?.delivery_id === null && (
        <Quiet role="status">Nothing waits. The next event is sent at once.</Quiet>
      )}
      {data?.delivery_id && (
        <DeliveryOutcome
          key={`${data.delivery_id}/${data.attempt}`}
          webhookId={webhookId}
          deliveryId={data.delivery_id}
          attempt={data.attempt ?? 1}
        />
      )}
    </>
  );
}

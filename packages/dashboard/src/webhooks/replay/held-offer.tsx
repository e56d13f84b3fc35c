import { Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../../api/types.js';
import { eventsInWords } from '../../model/event-queries.js';
import { FormDialog } from '../../ui/form-dialog.js';
import { FormProblem } from '../../ui/form-problem.js';
import { begin, countQuery } from './replay-queries.js';
import type { Span } from './replay-span.js';

export interface HeldOfferProps {
  readonly webhook: Webhook;
  /** When it was enabled, just now. */
  readonly enabledAt: Date;
}

/** After a webhook was enabled: offers to send what was held while it was not, if there is any. */
export function HeldOffer({ webhook, enabledAt }: HeldOfferProps) {
  const { webhook_id: webhookId, created_at: from } = webhook;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAnswered, setAnswered] = useState(false);
  // Deliveries that waited for an attempt when the webhook was disabled are held too, however old they are.
  const [span] = useState<Span>({ from, to: enabledAt.toISOString(), outcomes: ['held'] });
  const { data: counted } = useQuery(countQuery(webhookId, span));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => begin(queries, webhookId, span),
    onSuccess: async () => {
      setAnswered(true);
      await navigate({ to: '/webhooks/$webhookId', params: { webhookId } });
    },
  });
  if (!counted || counted.count === 0) return null;
  const words = eventsInWords(counted);

  return (
    <FormDialog
      title="Send what was held?"
      action={`Send ${words}`}
      cancel="Not now"
      opened={!isAnswered}
      pending={isPending}
      onSubmit={() => mutate()}
      onClose={() => setAnswered(true)}
    >
      <Text size="sm">
        The webhook is enabled, and new events are sent. While it was disabled, {words}{' '}
        {counted.count === 1 ? 'was' : 'were'} held. You can also send them later, by a replay.
      </Text>
      <FormProblem error={error} fields={[]} />
    </FormDialog>
  );
}

import { Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas, Webhook } from '../api/types.js';
import { ordinaryKinds } from '../model/event-kinds.js';
import { eventTypesQuery } from '../model/event-queries.js';
import { configure, fullAtQuery } from '../model/webhook-queries.js';
import { LinkButton } from '../ui/links.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { PageTitle } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { configurationOf } from './form/form-changes.js';
import { proposed, type WebhookFormValues } from './form/form-values.js';
import { newSecret } from './form/new-secret.js';
import { SentExample } from './form/sent-example.js';
import { WebhookForm } from './form/webhook-form.js';
import { handOver } from './made-secret.js';
import { NoRoom } from './no-room.js';

interface Saved {
  readonly created: boolean;
  readonly webhook: Webhook;
  readonly secret: string;
}

export function NewWebhookPage() {
  useTitle('Add a webhook');
  const { data, error, refetch } = useQuery(eventTypesQuery);
  const { data: fullAt } = useQuery(fullAtQuery);
  if (fullAt) return <NoRoom max={fullAt} />;
  if (data) return <NewForm catalogue={data.items} />;
  return error ? <LoadProblem error={error} again={() => void refetch()} /> : <LoadingPage />;
}

function NewForm({ catalogue }: { readonly catalogue: readonly Schemas['EventType'][] }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [initial] = useState(() => proposed(ordinaryKinds(catalogue)));

  const show = ({ created, webhook: { webhook_id: webhookId }, secret }: Saved) => {
    handOver({ webhookId, secret });
    void navigate({
      to: '/webhooks/$webhookId',
      params: { webhookId },
      replace: true,
      ignoreBlocker: true,
      state: { notice: created ? CREATED : UPDATED },
    });
  };
  const { mutate, isPending, error } = useMutation({
    gcTime: 0, // the variables hold a secret
    mutationFn: async (values: WebhookFormValues): Promise<Saved> => {
      const secret = newSecret();
      return { ...(await configure(queries, configurationOf(values, secret))), secret };
    },
    onSuccess: show,
  });

  return (
    <Stack gap="lg">
      <PageTitle>Add a webhook</PageTitle>
      <WebhookForm
        catalogue={catalogue}
        initial={initial}
        hasSecret={false}
        action="Add webhook"
        pending={isPending}
        error={error}
        parts={['url', 'events']}
        beside={({ url, events }) => (
          <SentExample catalogue={catalogue} url={url} events={events} />
        )}
        onSubmit={mutate}
        cancel={
          <LinkButton to="/webhooks" variant="default">
            Cancel
          </LinkButton>
        }
      />
    </Stack>
  );
}

const CREATED = 'Webhook added. New events are sent to it.';
const UPDATED =
  'You had a webhook with this address already, so your choices were saved there, with a new secret.';

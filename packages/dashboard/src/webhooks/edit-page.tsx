import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { LinkButton } from '../ui/links.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { useTitle } from '../ui/use-title.js';
import { changesOf, type WebhookFormValues } from './form-changes.js';
import { FormPage } from './form-page.js';
import { newSecret } from './new-secret.js';
import { WebhookSecretDialog } from './secret-dialog.js';
import { WebhookForm } from './webhook-form.js';
import { change, webhookQuery } from './webhook-queries.js';

const route = getRouteApi('/inside/webhooks/$webhookId/edit');

export function EditWebhookPage() {
  useTitle('Edit webhook');
  const { webhookId } = route.useParams();
  const { data, error, refetch } = useQuery(webhookQuery(webhookId));
  if (error && !data) return <LoadProblem error={error} again={() => void refetch()} />;
  return data ? <EditForm key={webhookId} webhook={data} /> : <LoadingPage />;
}

function EditForm(props: { readonly webhook: Webhook }) {
  // As it was when the form was opened: what somebody else changes meanwhile stays as they want it.
  const [webhook] = useState(props.webhook);
  const { webhook_id: webhookId, url, events, enabled, has_secret: hasSecret } = webhook;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [generated, setGenerated] = useState<string>();

  const show = () =>
    void navigate({
      to: '/webhooks/$webhookId',
      params: { webhookId },
      replace: true,
      state: { notice: 'Your changes are saved, and in effect.' },
    });
  const { mutate, isPending, error } = useMutation({
    gcTime: 0, // its variables hold a secret
    mutationFn: async (values: WebhookFormValues) => {
      const generated = values.secretChoice === 'generate' ? newSecret() : undefined;
      await change(queries, webhookId, changesOf(webhook, values, generated));
      return generated;
    },
    onSuccess: (generated) => (generated === undefined ? show() : setGenerated(generated)),
  });

  return (
    <FormPage title="Edit webhook">
      <WebhookForm
        initial={{
          url,
          events: [...events],
          enabled,
          secretChoice: hasSecret ? 'keep' : 'none',
          secret: '',
        }}
        hasSecret={hasSecret}
        action="Save changes"
        pending={isPending}
        error={error}
        onSubmit={mutate}
        cancel={
          <LinkButton to="/webhooks/$webhookId" params={{ webhookId }} variant="default">
            Cancel
          </LinkButton>
        }
      />
      <WebhookSecretDialog secret={generated} onDone={show} />
    </FormPage>
  );
}

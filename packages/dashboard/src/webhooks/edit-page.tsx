import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas, Webhook } from '../api/types.js';
import { eventTypesQuery } from '../events/event-queries.js';
import { LinkButton } from '../ui/links.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { useTitle } from '../ui/use-title.js';
import { changesOf } from './form/form-changes.js';
import { valuesOf, type WebhookFormValues } from './form/form-values.js';
import { WebhookForm } from './form/webhook-form.js';
import { FormPage } from './form-page.js';
import { newSecret } from './new-secret.js';
import { WebhookSecretDialog } from './secret-dialog.js';
import { save, webhookQuery } from './webhook-queries.js';

const route = getRouteApi('/inside/webhooks/$webhookId/edit');

export function EditWebhookPage() {
  useTitle('Edit webhook');
  const { webhookId } = route.useParams();
  const webhook = useQuery(webhookQuery(webhookId));
  const types = useQuery(eventTypesQuery);
  const error = webhook.error ?? types.error;
  if (webhook.data && types.data) {
    return <EditForm key={webhookId} webhook={webhook.data} catalogue={types.data.items} />;
  }
  if (!error) return <LoadingPage />;
  const again = () => void Promise.all([webhook.refetch(), types.refetch()]);
  return <LoadProblem error={error} again={again} />;
}

interface EditFormProps {
  readonly webhook: Webhook;
  readonly catalogue: readonly Schemas['EventType'][];
}

function EditForm({ catalogue, ...props }: EditFormProps) {
  // The form compares with the webhook as it was when the form was opened, so that changes of others meanwhile stay.
  const [webhook] = useState(props.webhook);
  const { webhook_id: webhookId, has_secret: hasSecret } = webhook;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [generated, setGenerated] = useState<string>();
  const [wasEnabled, setWasEnabled] = useState(false);

  const show = (wasEnabled: boolean) =>
    void navigate({
      to: '/webhooks/$webhookId',
      params: { webhookId },
      replace: true,
      state: { notice: 'Your changes are saved, and in effect.', wasEnabled },
    });
  const { mutate, isPending, error } = useMutation({
    gcTime: 0, // the variables hold a secret
    mutationFn: async (values: WebhookFormValues) => {
      const generated = values.secretChoice === 'generate' ? newSecret() : undefined;
      await save(queries, webhookId, changesOf(webhook, values, generated));
      return generated;
    },
    onSuccess: (generated, { enabled }) => {
      const wasEnabled = enabled && !webhook.enabled;
      setWasEnabled(wasEnabled);
      if (generated === undefined) show(wasEnabled);
      else setGenerated(generated);
    },
  });

  return (
    <FormPage title="Edit webhook">
      <WebhookForm
        catalogue={catalogue}
        initial={valuesOf(webhook)}
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
      <WebhookSecretDialog secret={generated} onDone={() => show(wasEnabled)} />
    </FormPage>
  );
}

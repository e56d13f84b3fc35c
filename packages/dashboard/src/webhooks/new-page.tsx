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
import { useTitle } from '../ui/use-title.js';
import { configurationOf } from './form/form-changes.js';
import { proposed, type WebhookFormValues } from './form/form-values.js';
import { newSecret } from './form/new-secret.js';
import { WebhookForm } from './form/webhook-form.js';
import { FormPage } from './form-page.js';
import { NoRoom } from './no-room.js';
import { WebhookSecretDialog } from './secret-dialog.js';

interface Saved {
  readonly created: boolean;
  readonly webhook: Webhook;
  readonly generated: string | undefined;
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
  const [generated, setGenerated] = useState<Saved>();

  const show = ({ created, webhook: { webhook_id: webhookId } }: Saved) =>
    void navigate({
      to: '/webhooks/$webhookId',
      params: { webhookId },
      replace: true,
      ignoreBlocker: true,
      state: { notice: created ? CREATED : UPDATED },
    });
  const { mutate, isPending, error } = useMutation({
    gcTime: 0, // the variables hold a secret
    mutationFn: async (values: WebhookFormValues): Promise<Saved> => {
      const generated = values.secretChoice === 'generate' ? newSecret() : undefined;
      return { ...(await configure(queries, configurationOf(values, generated))), generated };
    },
    onSuccess: (saved) => (saved.generated === undefined ? show(saved) : setGenerated(saved)),
  });

  return (
    <FormPage title="Add a webhook">
      <WebhookForm
        catalogue={catalogue}
        initial={proposed(ordinaryKinds(catalogue))}
        hasSecret={false}
        action="Add webhook"
        pending={isPending}
        error={error}
        onSubmit={mutate}
        cancel={
          <LinkButton to="/webhooks" variant="default">
            Cancel
          </LinkButton>
        }
      />
      <WebhookSecretDialog
        secret={generated?.generated}
        onDone={() => {
          if (generated) show(generated);
        }}
      />
    </FormPage>
  );
}

const CREATED = 'Webhook added. New events are sent to it.';
const UPDATED = 'You had a webhook with this address already, so your choices were saved there.';

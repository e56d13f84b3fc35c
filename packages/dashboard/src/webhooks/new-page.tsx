import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { LinkButton } from '../ui/links.js';
import { useTitle } from '../ui/use-title.js';
import { EVENT_KINDS } from './event-kinds.js';
import type { WebhookFormValues } from './form-changes.js';
import { FormPage } from './form-page.js';
import { newSecret } from './new-secret.js';
import { WebhookSecretDialog } from './secret-dialog.js';
import { WebhookForm } from './webhook-form.js';
import { configure } from './webhook-queries.js';

const INITIAL: WebhookFormValues = {
  url: '',
  events: EVENT_KINDS.map(({ type }) => type),
  enabled: true,
  secretChoice: 'generate',
  secret: '',
};

interface Saved {
  readonly created: boolean;
  readonly webhook: Webhook;
  readonly generated: string | undefined;
}

export function NewWebhookPage() {
  useTitle('Add a webhook');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [generated, setGenerated] = useState<Saved>();

  const show = ({ created, webhook: { webhook_id: webhookId } }: Saved) =>
    void navigate({
      to: '/webhooks/$webhookId',
      params: { webhookId },
      replace: true,
      state: { notice: created ? CREATED : UPDATED },
    });
  const { mutate, isPending, error } = useMutation({
    gcTime: 0, // its variables hold a secret
    mutationFn: async (values: WebhookFormValues): Promise<Saved> => {
      const { url, events, enabled, secretChoice } = values;
      const generated = secretChoice === 'generate' ? newSecret() : undefined;
      const secret = generated ?? (secretChoice === 'own' ? values.secret : undefined);
      const configuration = { url, events, enabled, ...(secret !== undefined && { secret }) };
      return { ...(await configure(queries, configuration)), generated };
    },
    onSuccess: (saved) => (saved.generated === undefined ? show(saved) : setGenerated(saved)),
  });

  return (
    <FormPage title="Add a webhook">
      <WebhookForm
        initial={INITIAL}
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

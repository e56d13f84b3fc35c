import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isConflict } from '../api/problem.js';
import type { Schemas } from '../api/types.js';
import { eventTypesQuery } from '../model/event-queries.js';
import { type VersionedWebhook, webhookQuery } from '../model/webhook-queries.js';
import { LinkButton } from '../ui/links.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { useTitle } from '../ui/use-title.js';
import { changedElsewhere } from './form/conflict.js';
import { ConflictNotice } from './form/conflict-notice.js';
import { WebhookForm } from './form/webhook-form.js';
import { FormPage } from './form-page.js';
import { WebhookSecretDialog } from './secret-dialog.js';
import { type Edited, useEdit } from './use-edit.js';

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
  readonly webhook: VersionedWebhook;
  readonly catalogue: readonly Schemas['EventType'][];
}

function EditForm({ webhook: first, catalogue }: EditFormProps) {
  const { webhook_id: webhookId } = first;
  const navigate = useNavigate();
  const [shown, setShown] = useState<Edited>();
  const leave = ({ wasEnabled }: Edited) =>
    void navigate({
      to: '/webhooks/$webhookId',
      params: { webhookId },
      replace: true,
      ignoreBlocker: true,
      state: { notice: 'Your changes are saved, and in effect.', wasEnabled },
    });
  const { opened, conflict, takeSaved, mutate, isPending, error } = useEdit(first, (edited) =>
    edited.generated === undefined ? leave(edited) : setShown(edited),
  );
  const { webhook, values } = opened;

  return (
    <FormPage title="Edit webhook">
      <WebhookForm
        key={webhook.etag}
        catalogue={catalogue}
        initial={values}
        hasSecret={webhook.has_secret}
        action={conflict ? 'Save my version' : 'Save changes'}
        pending={isPending}
        error={isConflict(error) ? undefined : error}
        notice={
          conflict && (
            <ConflictNotice
              changes={changedElsewhere(webhook, conflict.saved, conflict.mine)}
              onTakeSaved={takeSaved}
            />
          )
        }
        onSubmit={mutate}
        cancel={
          <LinkButton to="/webhooks/$webhookId" params={{ webhookId }} variant="default">
            Cancel
          </LinkButton>
        }
      />
      <WebhookSecretDialog secret={shown?.generated} onDone={() => shown && leave(shown)} />
    </FormPage>
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isConflict } from '../api/problem.js';
import { save, type VersionedWebhook, webhookQuery } from '../model/webhook-queries.js';
import { withSaved } from './form/conflict.js';
import { changesOf } from './form/form-changes.js';
import { valuesOf, type WebhookFormValues } from './form/form-values.js';
import { newSecret } from './form/new-secret.js';

/** Basis of a form. */
interface Opened {
  /** The webhook as it was when the form was opened, so that changes of others meanwhile stay. */
  readonly webhook: VersionedWebhook;
  readonly values: WebhookFormValues;
}

/** The webhook as somebody else has saved it meanwhile, and the form that was refused because of that. */
interface Conflict {
  readonly saved: VersionedWebhook;
  readonly mine: WebhookFormValues;
}

/** Effects of a saved form: a secret that was generated, and whether the webhook was enabled. */
export interface Edited {
  readonly generated: string | undefined;
  readonly wasEnabled: boolean;
}

/**
 * Edits the version of a webhook that the form was opened with. When another version is saved by now, nothing is sent
 * until the user has seen both: saving again is for that version, and `takeSaved` takes what it changed into the form.
 */
export function useEdit(first: VersionedWebhook, onSaved: (edited: Edited) => void) {
  const queries = useQueryClient();
  const [opened, setOpened] = useState<Opened>(() => ({ webhook: first, values: valuesOf(first) }));
  const [conflict, setConflict] = useState<Conflict>();
  const { webhook } = opened;

  const { mutate, isPending, error, reset } = useMutation({
    gcTime: 0, // the variables hold a secret
    mutationFn: async (mine: WebhookFormValues): Promise<Edited> => {
      const generated = mine.secretChoice === 'generate' ? newSecret() : undefined;
      const { etag } = conflict?.saved ?? webhook;
      try {
        await save(queries, { ...webhook, etag }, changesOf(webhook, mine, generated));
      } catch (error) {
        if (isConflict(error)) {
          const { webhook_id: webhookId } = webhook;
          const saved = await queries.fetchQuery({ ...webhookQuery(webhookId), staleTime: 0 });
          setConflict({ saved, mine });
        }
        throw error;
      }
      return { generated, wasEnabled: mine.enabled && !webhook.enabled };
    },
    onSuccess: onSaved,
  });
  const takeSaved = () => {
    if (!conflict) return;
    const { saved, mine } = conflict;
    setOpened({ webhook: saved, values: withSaved(webhook, saved, mine) });
    setConflict(undefined);
    reset();
  };
  return { opened, conflict, takeSaved, mutate, isPending, error };
}

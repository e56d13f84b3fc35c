import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isConflict } from '../api/problem.js';
import { save, type VersionedWebhook, webhookQuery } from '../model/webhook-queries.js';
import { isChanged, withSaved } from './form/conflict.js';
import { changesOf } from './form/form-changes.js';
import { type SettingName, valuesOf, type WebhookFormValues } from './form/form-values.js';
import { newSecret } from './form/new-secret.js';

/** Basis of a form. */
interface Opened {
  /** The webhook as it was when the form was opened, so that changes of others meanwhile stay. */
  readonly webhook: VersionedWebhook;
  readonly values: WebhookFormValues;
  /** Number of times that a form was replaced by what is saved. */
  readonly takes: number;
}

/** The webhook as somebody else has saved it meanwhile, and the form that was refused because of that. */
interface Conflict {
  readonly saved: VersionedWebhook;
  readonly mine: WebhookFormValues;
}

/**
 * Edits these settings of a webhook, in the version that the form was opened with. Other settings may be saved
 * meanwhile. When these were, nothing is sent until the user has seen both: saving again is for that version, and
 * `takeSaved` takes what it changed into the form.
 */
export function useEdit(current: VersionedWebhook, names: readonly SettingName[]) {
  const queries = useQueryClient();
  const { webhook_id: webhookId } = current;
  const [opened, setOpened] = useState<Opened>(() => openedAt(current));
  const [conflict, setConflict] = useState<Conflict>();
  const { webhook } = opened;

  const write = async (base: VersionedWebhook, mine: WebhookFormValues, generated?: string) => {
    const { etag } = conflict?.saved ?? base;
    return save(
      queries,
      { ...base, etag },
      changesOf(base, withSaved(webhook, base, mine), generated),
    );
  };
  const { mutate, isPending, error, reset, data } = useMutation({
    gcTime: 0, // the variables hold a secret
    mutationFn: async (mine: WebhookFormValues) => {
      const generated = mine.secretChoice === 'generate' ? newSecret() : undefined;
      const isApart = conflict === undefined && !isChanged(webhook, current, names);
      try {
        return { saved: await write(isApart ? current : webhook, mine, generated), generated };
      } catch (error) {
        if (!isConflict(error)) throw error;
        const saved = await queries.fetchQuery({ ...webhookQuery(webhookId), staleTime: 0 });
        if (!isChanged(webhook, saved, names)) {
          return { saved: await write(saved, mine, generated), generated };
        }
        setConflict({ saved, mine });
        throw error;
      }
    },
    onSuccess: ({ saved }) => {
      setOpened(({ takes }) => ({ ...openedAt(saved), takes }));
      setConflict(undefined);
    },
  });
  const takeSaved = () => {
    if (!conflict) return;
    const { saved, mine } = conflict;
    setOpened(({ takes }) => ({
      webhook: saved,
      values: withSaved(webhook, saved, mine),
      takes: takes + 1,
    }));
    setConflict(undefined);
    reset();
  };
  return { opened, conflict, takeSaved, mutate, isPending, error, saved: data };
}

const openedAt = (webhook: VersionedWebhook): Opened => ({
  webhook,
  values: valuesOf(webhook),
  takes: 0,
});

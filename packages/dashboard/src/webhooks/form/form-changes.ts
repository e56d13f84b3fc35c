import type { Webhook, WebhookConfiguration } from '../../api/types.js';
import type { FormChanges } from '../../model/webhook-queries.js';
import {
  type Pair,
  proposed,
  SETTINGS,
  type SettingChanges,
  valuesOf,
  type WebhookFormValues,
} from './form-values.js';

/**
 * Returns only the fields that differ, so that a form neither undoes a change made elsewhere nor loses anything that
 * it does not show.
 */
export function changesOf(
  webhook: Webhook,
  values: WebhookFormValues,
  generated: string | undefined,
): FormChanges {
  const before = valuesOf(webhook);
  const secret = secretOf(values, generated);
  const changes = {
    ...settingChanges(before, values),
    ...(secret !== undefined && (secret !== null || webhook.has_secret) && { secret }),
  };
  return { changes, merged: mergedSettings(before, values) };
}

/** Returns the body that creates a webhook: only the options that are set. */
export function configurationOf(
  values: WebhookFormValues,
  generated: string | undefined,
): WebhookConfiguration {
  const { url, events, enabled } = values;
  const empty = proposed([]);
  const secret = secretOf(values, generated);
  return {
    ...settingChanges(empty, values),
    url,
    events: [...events],
    enabled,
    ...(secret && { secret }),
    ...mergedSettings(empty, values),
  };
}

function settingChanges(before: WebhookFormValues, after: WebhookFormValues): SettingChanges {
  const changes = Object.values(SETTINGS).map(({ change }) => {
    const wanted = change?.(after);
    return JSON.stringify(wanted) === JSON.stringify(change?.(before)) ? {} : wanted;
  });
  return Object.assign({}, ...changes);
}

function mergedSettings(before: WebhookFormValues, after: WebhookFormValues) {
  const headers = mergedPairs(before.headers, after.headers);
  const metadata = mergedPairs(before.metadata, after.metadata);
  return { ...(headers && { headers }), ...(metadata && { metadata }) };
}

function secretOf({ secretChoice, secret }: WebhookFormValues, generated: string | undefined) {
  switch (secretChoice) {
    case 'keep':
      return undefined;
    case 'none':
      return null;
    case 'own':
      return secret;
    case 'generate':
      return generated;
  }
}

/**
 * Returns the difference as a merge patch (RFC 7396), in which null removes a name; undefined when nothing differs.
 */
function mergedPairs(before: readonly Pair[], after: readonly Pair[]) {
  const removed = before.filter(({ name }) => after.every((pair) => pair.name !== name));
  const set = after.filter(({ name, value, isStored }) => {
    const stored = before.find((pair) => pair.name === name);
    return isStored ? value !== '' : stored === undefined || stored.value !== value;
  });
  if (removed.length + set.length === 0) return undefined;
  // The document knows no null in it, which only a merge patch has.
  return Object.fromEntries([
    ...removed.map(({ name }) => [name, null] as const),
    ...set.map(({ name, value }) => [name, value] as const),
  ]) as Record<string, string>;
}

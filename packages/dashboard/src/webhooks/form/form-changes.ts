import type { Webhook, WebhookConfiguration } from '../../api/types.js';
import type { FormChanges } from '../../model/webhook-queries.js';
import { secondsIn } from './durations.js';
import type { Filter } from './filter-rows.js';
import { type Pair, proposed, valuesOf, type WebhookFormValues } from './form-values.js';

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
  const isOther = (field: keyof WebhookFormValues) => values[field] !== before[field];
  const { url, events, enabled } = values;
  const changes = {
    ...(isOther('url') && { url }),
    ...(!sameKinds(events, webhook.events) && { events: [...events] }),
    ...(isOther('enabled') && { enabled }),
    ...(secret !== undefined && (secret !== null || webhook.has_secret) && { secret }),
    ...optionsOf(values, isOther),
  };
  const headers = mergedPairs(before.headers, values.headers);
  const metadata = mergedPairs(before.metadata, values.metadata);
  return { changes, merged: { ...(headers && { headers }), ...(metadata && { metadata }) } };
}

/** Returns the body that creates a webhook: only the options that are set. */
export function configurationOf(
  values: WebhookFormValues,
  generated: string | undefined,
): WebhookConfiguration {
  const { url, events, enabled } = values;
  const empty = proposed([]);
  const secret = secretOf(values, generated);
  const headers = mergedPairs([], values.headers);
  const metadata = mergedPairs([], values.metadata);
  return {
    url,
    events: [...events],
    enabled,
    ...(secret && { secret }),
    ...optionsOf(values, (field) => values[field] !== empty[field]),
    ...(headers && { headers }),
    ...(metadata && { metadata }),
  };
}

function optionsOf(
  values: WebhookFormValues,
  isOther: (field: keyof WebhookFormValues) => boolean,
) {
  const { description, filter, signature, ordered, rate_limit: rate } = values;
  const { trace_context: hasTrace } = values;
  return {
    ...(isOther('description') && { description: description.trim() || null }),
    ...(isOther('filter') && { filter: filter.trim() ? (JSON.parse(filter) as Filter) : null }),
    ...(isOther('signature') && { signature: signature ? ('ed25519' as const) : null }),
    ...(isOther('ordered') && { ordered }),
    ...(isOther('trace_context') && { trace_context: hasTrace }),
    ...(isOther('rate_limit') && { rate_limit: rate.trim() ? Number(rate) : null }),
    ...((isOther('retries') || isOther('retry_schedule')) && {
      retry_schedule: scheduleOf(values),
    }),
  };
}

function scheduleOf({ retries, retry_schedule: text }: WebhookFormValues) {
  if (retries === 'standard') return null;
  return retries === 'none' ? [] : (secondsIn(text) ?? []);
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

const sameKinds = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((kind) => other.includes(kind));

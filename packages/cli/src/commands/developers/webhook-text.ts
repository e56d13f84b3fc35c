import type { Webhook } from '../../api/answers.js';
import { fields, table } from '../../output.js';
import { strip } from './strip.js';

/** `marks`: the last attempts of each webhook, by its id. */
export function webhooksTable(
  webhooks: readonly Webhook[],
  marks: ReadonlyMap<string, string>,
): string {
  const rows = webhooks.map((one) => [
    one.webhook_id,
    one.url,
    one.events.join(','),
    stateOf(one),
    strip(marks.get(one.webhook_id) ?? ''),
  ]);
  return table(
    ['ID', 'URL', 'EVENTS', 'STATE', 'LAST 90 ATTEMPTS'],
    rows,
    'There are no webhooks: junction webhooks create URL',
  );
}

/**
 * Describes a webhook; one that was just created with the secret that was made for it. `marks`: its last attempts,
 * where they were read.
 */
export const webhookText = (
  webhook: Webhook & { readonly secret?: string },
  marks?: string,
): string =>
  fields({
    id: webhook.webhook_id,
    url: webhook.url,
    description: webhook.description,
    events: webhook.events.join(', '),
    state: stateOf(webhook),
    'why failing': webhook.failing?.detail ?? undefined,
    'last 90 attempts': marks && strip(marks),
    signed: webhook.has_secret ? 'yes' : 'no: it has no secret',
    created: webhook.created_at,
    secret: webhook.secret,
  });

/** Returns whether nothing gets through, or that has disabled the webhook. */
export const isFailing = ({ state, disabled_reason }: Webhook): boolean =>
  state === 'failing' || (disabled_reason !== undefined && disabled_reason !== 'user');

export function stateOf({ state, disabled_reason, failing, circuit }: Webhook): string {
  const why =
    state === 'failing'
      ? failing && ` since ${failing.since}: ${failing.reason}`
      : disabled_reason && `: ${disabled_reason}`;
  const rest = circuit && `; circuit ${circuit.state}, next probe ${circuit.probe_at}`;
  return `${state}${why ?? ''}${rest ?? ''}`;
}

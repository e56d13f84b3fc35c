import type { Webhook } from '../api/types.js';
import type { SecretChoice } from './secret-choice.js';
import type { Changes } from './webhook-queries.js';

/** What stands in a webhook's form. */
export interface WebhookFormValues {
  readonly url: string;
  readonly events: string[];
  readonly enabled: boolean;
  readonly secretChoice: SecretChoice;
  /** Only of the choice `own`. */
  readonly secret: string;
}

/** What a saved form asks for: only what differs, so that it undoes no change made elsewhere. */
export function changesOf(
  webhook: Webhook,
  values: WebhookFormValues,
  generated: string | undefined,
): Changes {
  const { url, events, enabled } = values;
  const secret = secretOf(values, generated);
  return {
    ...(url !== webhook.url && { url }),
    ...(!sameKinds(events, webhook.events) && { events }),
    ...(enabled !== webhook.enabled && { enabled }),
    ...(secret !== undefined && (secret !== null || webhook.has_secret) && { secret }),
  };
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

const sameKinds = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((kind) => other.includes(kind));

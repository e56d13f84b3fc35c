import type { WebhookEvent } from './events.js';
import { DEFAULT_OPTIONS, optionsIn, type WebhookOptions } from './options.js';

/** Url, secrets and options of a webhook at some moment. */
export interface Addressing {
  readonly url: string;
  /** Versions of the secrets, newest first; several while a rotation lasted; empty: no secret. */
  readonly secretVersions: readonly number[];
  readonly options: WebhookOptions;
}

/**
 * Returns how a webhook was addressed at that moment, from its history; undefined when the history is empty. A moment
 * before the first event is taken for the time of that event.
 */
export function addressingAsOf(history: readonly WebhookEvent[], at: Date): Addressing | undefined {
  let then: Known | undefined;
  for (const event of history) {
    if (then !== undefined && new Date(event.data.at) > at) break;
    if (event.type === 'webhook.configured') {
      const { url, secretVersion } = event.data;
      then = { url, secrets: only(secretVersion), options: DEFAULT_OPTIONS };
    } else if (then !== undefined) {
      then = after(then, event);
    }
  }
  if (then === undefined) return undefined;
  const { secrets, ...addressed } = then;
  const valid = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at);
  return { ...addressed, secretVersions: valid.map(({ version }) => version) };
}

interface Known extends Omit<Addressing, 'secretVersions'> {
  readonly secrets: readonly { readonly version: number; readonly expiresAt?: Date }[];
}

const only = (version: number): Known['secrets'] => (version > 0 ? [{ version }] : []);

function after(then: Known, { type, data }: WebhookEvent): Known {
  switch (type) {
    case 'webhook.updated': {
      const { url = then.url, hasSecret, secretVersion } = data;
      // Only a secret that was set anew ends those of a rotation at once.
      const isSame = hasSecret && then.secrets[0]?.version === secretVersion;
      const secrets = isSame ? then.secrets : only(hasSecret ? secretVersion : 0);
      return { ...then, url, secrets };
    }
    case 'webhook.secret_rotated': {
      const { secretVersion: version, previousExpiresAt } = data;
      const expiresAt = new Date(previousExpiresAt ?? data.at);
      const before = then.secrets.map((one) => ({ expiresAt, ...one }));
      return { ...then, secrets: [{ version }, ...before] };
    }
    case 'webhook.options_changed':
      return { ...then, options: optionsIn(data) };
    case 'webhook.configured':
    case 'webhook.enabled':
    case 'webhook.disabled':
    case 'webhook.deleted':
      return then;
  }
}

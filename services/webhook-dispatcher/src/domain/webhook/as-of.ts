import type { WebhookEvent } from './events.js';
import type { Signature } from './options.js';

/** Url, signatures and headers of the requests at some moment. */
export interface Addressing {
  readonly url: string;
  /** Versions of the secrets, newest first; several while a rotation lasted; empty: no secret. */
  readonly secretVersions: readonly number[];
  /** Names of custom headers. */
  readonly headerNames: readonly string[];
  readonly signature: Signature;
  readonly traceContext: boolean;
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
      then = { url, secrets: only(secretVersion), ...FIRST };
    } else if (then !== undefined) {
      then = after(then, event);
    }
  }
  if (then === undefined) return undefined;
  const { secrets, ...addressed } = then;
  const valid = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at);
  return { ...addressed, secretVersions: valid.map(({ version }) => version) };
}

/** Addressing before any options were set. */
const FIRST = { headerNames: [], signature: 'hmac', traceContext: false } as const;

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
    case 'webhook.options_changed': {
      const { headerNames, signature = 'hmac', traceContext = false } = data;
      return { ...then, headerNames, signature, traceContext };
    }
    case 'webhook.configured':
    case 'webhook.enabled':
    case 'webhook.disabled':
    case 'webhook.deleted':
      return then;
  }
}

import { createHash, type KeyObject } from 'node:crypto';
import type { Rotation } from '../../domain/webhook-key/rotation.js';

/** Key pair that signs webhooks, has signed them, or will. */
export interface WebhookKey {
  readonly kid: string;
  /** `whpk_…` */
  readonly publicKey: string;
  /** Absent: the private half was destroyed when the key was no longer published. */
  readonly privateKey: KeyObject | undefined;
  readonly signsFrom: Date;
  /** Absent: no other key is to follow. */
  readonly signsUntil: Date | undefined;
  readonly publishedUntil: Date | undefined;
}

export interface WebhookKeyStore {
  /** Returns all keys that ever were. */
  load(): Promise<readonly WebhookKey[]>;
  /** Destroys the private halves of keys that are no longer published. */
  destroyEnded(now: Date): Promise<void>;
}

/** Keys, within a transaction. */
export interface WebhookKeyTable {
  /** Waits for other transactions that add a key. */
  takeTurn(): Promise<void>;
  /** Returns whether there is any key. */
  exist(): Promise<boolean>;
  /** Ends all keys. A key that leaked may end sooner than its rotation said, never later. */
  endAll(rotation: Rotation): Promise<void>;
  insert(key: NewWebhookKey): Promise<void>;
}

export interface NewWebhookKey {
  readonly kid: string;
  readonly publicKey: string;
  /** `whsk_…` */
  readonly signingKey: string;
  readonly createdAt: Date;
  readonly signsFrom: Date;
}

/** Keys as the table was read last. Each read replaces all of them. */
export interface WebhookKeys {
  /** Returns the keys that sign at that time, newest first. Undefined: one of them is destroyed. */
  signing(at: Date): readonly KeyObject[] | undefined;
  /**
   * Returns the published keys, newest first, also those that are yet to sign and those whose last requests are under
   * way.
   */
  published(): readonly WebhookKey[];
  /** Returns since when the newest key signs that does. */
  signingSince(): Date | undefined;
  /** Reads the table again; a rotation on another replica is known after this. */
  reload(): Promise<void>;
}

export async function webhookKeys(
  load: WebhookKeyStore['load'],
  now: () => Date,
): Promise<WebhookKeys> {
  const sorted = async () =>
    (await load()).toSorted((a, b) => b.signsFrom.getTime() - a.signsFrom.getTime());
  let keys = await sorted();
  const published = () => keys.filter(({ publishedUntil }) => !isOver(publishedUntil, now()));

  return {
    signing(at) {
      const found = keys
        .filter(({ signsFrom, signsUntil }) => signsFrom <= at && !isOver(signsUntil, at))
        .map(({ privateKey }) => privateKey);
      return found.every((key) => key !== undefined) ? found : undefined;
    },
    published,
    signingSince: () => published().find(({ signsFrom }) => signsFrom <= now())?.signsFrom,
    async reload() {
      keys = await sorted();
    },
  };
}

const isOver = (until: Date | undefined, at: Date): boolean => until !== undefined && until <= at;

export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 bytes in base64url. */
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** Returns a public key as a JWK (RFC 8037), named by its thumbprint (RFC 7638). */
export function publicJwk(publicKey: string): PublicJwk {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const required = { crv: 'Ed25519', kty: 'OKP', x } as const; // In this order they make the thumbprint.
  const kid = createHash('sha256').update(JSON.stringify(required)).digest('base64url');
  return { ...required, kid, alg: 'EdDSA', use: 'sig' };
}

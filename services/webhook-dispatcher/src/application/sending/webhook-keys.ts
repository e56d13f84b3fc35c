import { createHash, type KeyObject } from 'node:crypto';

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

export interface NewWebhookKey {
  readonly kid: string;
  readonly publicKey: string;
  /** `whsk_…` */
  readonly signingKey: string;
  readonly createdAt: Date;
  readonly signsFrom: Date;
}

/** Keys as the table was read last. Each read replaces all of them. */
export type WebhookKeys = Awaited<ReturnType<typeof webhookKeys>>;

export async function webhookKeys(load: () => Promise<readonly WebhookKey[]>, now: () => Date) {
  const sorted = async () =>
    (await load()).toSorted((a, b) => b.signsFrom.getTime() - a.signsFrom.getTime());
  let keys = await sorted();
  const published = () => keys.filter(({ publishedUntil }) => !isOver(publishedUntil, now()));

  return {
    /** Returns the keys that sign at that time, newest first. Undefined: one of them is destroyed. */
    signing(at: Date) {
      const found = keys
        .filter(({ signsFrom, signsUntil }) => signsFrom <= at && !isOver(signsUntil, at))
        .map(({ privateKey }) => privateKey);
      return found.every((key) => key !== undefined) ? found : undefined;
    },
    /**
     * Returns the published keys, newest first, also those that are yet to sign and those whose last requests are under
     * way.
     */
    published,
    /** Returns since when the newest key signs that does. */
    signingSince: () => published().find(({ signsFrom }) => signsFrom <= now())?.signsFrom,
    /** Reads the table again; a rotation on another replica is known after this. */
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

import { type CryptoKey, errors, type JWK, type JWTVerifyGetKey } from 'jose';

export const ALGORITHM = 'EdDSA'; // RFC 8037: on Ed25519, the only curve of ours.

/** A stored key, opened: the process signs with it and publishes its public half. */
export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
  readonly signsFrom: Date;
  readonly publishedUntil: Date | undefined;
}

/** All keys of this moment. Replaced as a whole whenever the table is read again. */
export interface SigningKeys {
  /** The newest that may sign. */
  current(): SigningKey;
  /** JWK Set (RFC 7517): public halves, those to come and those still trusted included. */
  published(): { readonly keys: readonly JWK[] };
  /** For verifying our own tokens without a request to ourselves. */
  readonly verificationKey: JWTVerifyGetKey;
  /** Reads the table again; a rotation on another replica is known after this. */
  reload(): Promise<void>;
}

export async function signingKeys(
  load: () => Promise<readonly SigningKey[]>,
  now: () => Date,
): Promise<SigningKeys> {
  let keys = await load();

  const trusted = () =>
    keys.filter(({ publishedUntil }) => !publishedUntil || publishedUntil > now());

  return {
    current() {
      const [newest] = trusted()
        .filter(({ signsFrom }) => signsFrom <= now())
        .sort((a, b) => b.signsFrom.getTime() - a.signsFrom.getTime());
      if (!newest)
        throw new Error('No signing key may sign: every one is withdrawn or still to come.');
      return newest;
    },

    published: () => ({ keys: trusted().map(({ publicJwk }) => publicJwk) }),

    async verificationKey({ kid }) {
      const found = trusted().find((key) => key.kid === kid);
      if (!found) throw new errors.JWKSNoMatchingKey();
      return found.publicKey;
    },

    async reload() {
      keys = await load();
    },
  };
}

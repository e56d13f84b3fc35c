/** How a user shows the second factor. */
export type FactorProof =
  | { readonly kind: 'totp'; readonly code: string }
  | { readonly kind: 'recovery_code'; readonly code: string }
  | { readonly kind: 'passkey'; readonly assertion: PasskeyAssertion };

/** The answer of a browser's navigator.credentials to a challenge of ours. */
export interface PasskeyAssertion {
  readonly challengeId: string;
  /** AuthenticationResponseJSON or RegistrationResponseJSON (WebAuthn, section 5.1). */
  readonly response: Readonly<Record<string, unknown>>;
}

export interface Passkey {
  readonly passkeyId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface StoredPasskey extends Passkey {
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

export interface SecondFactors {
  /** Null when the user has no authenticator, or has not confirmed it. */
  readonly totpSince: Date | null;
  readonly passkeys: readonly StoredPasskey[];
  readonly recoveryCodesLeft: number;
}

export const hasFactor = ({ totpSince, passkeys }: SecondFactors): boolean =>
  totpSince !== null || passkeys.length > 0;

export interface PasskeyChallenge {
  readonly challengeId: string;
  readonly challenge: string;
  readonly userId: string | null;
  readonly purpose: 'register' | 'authenticate';
  readonly expiresAt: Date;
}

export interface PendingLogin {
  readonly tokenHash: Buffer;
  readonly userId: string;
  /** The hash of the password that was shown. */
  readonly passwordHash: string;
  readonly triesLeft: number;
  readonly expiresAt: Date;
}

export interface Totp {
  newSecret(): Buffer;
  /** RFC 4648 base32, and the otpauth:// address of it for an authenticator. */
  describe(secret: Buffer, account: string): { readonly secret: string; readonly uri: string };
  /** Returns the time step, of those around now, whose code this is; undefined when there is none. */
  stepOf(secret: Buffer, code: string, now: Date): number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

export interface WebAuthn {
  registrationOptions(
    user: { readonly userId: string; readonly email: string },
    known: readonly StoredPasskey[],
  ): Promise<{ readonly challenge: string; readonly options: Json }>;
  /** Undefined when it is not good. */
  verifyRegistration(
    response: Json,
    challenge: string,
  ): Promise<
    Pick<StoredPasskey, 'credentialId' | 'publicKey' | 'counter' | 'transports'> | undefined
  >;
  authenticationOptions(
    known: readonly StoredPasskey[],
  ): Promise<{ readonly challenge: string; readonly options: Json }>;
  /** The new counter, which may have gone back; undefined when it is not good. */
  verifyAuthentication(
    response: Json,
    challenge: string,
    passkey: StoredPasskey,
  ): Promise<number | undefined>;
}

import type { NamedFactor } from '../../domain/user/events.js';

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

export interface Factors {
  of(userId: string): Promise<SecondFactors>;
  /** A secret in place of one that is not confirmed. Does nothing where one is. */
  offerTotp(userId: string, secret: Buffer, at: Date): Promise<void>;
  /** Returns the secret of a user's authenticator; undefined when there is none, or it is not confirmed. */
  totpSecret(userId: string): Promise<Buffer | undefined>;
  /** Returns whether no code of this time step or a later one was taken before, by any replica. */
  takeStep(userId: string, step: number): Promise<boolean>;
  passkey(credentialId: string): Promise<StoredPasskey | undefined>;
  /** Whether the counter went up, or the authenticator has none (WebAuthn, section 7.2, step 22). */
  usePasskey(passkeyId: string, counter: number, at: Date): Promise<boolean>;
  keepChallenge(challenge: PasskeyChallenge): Promise<void>;
  /** Takes the challenge out, so that it counts once. */
  takeChallenge(
    challengeId: string,
    wanted: Pick<PasskeyChallenge, 'purpose'> & { readonly now: Date },
  ): Promise<PasskeyChallenge | undefined>;
  /** Returns false when the user is gone, or has another password. */
  keepPendingLogin(login: PendingLogin): Promise<boolean>;
  /** Returns the user whose login waits. Undefined when the login is over, used or has no try left. */
  pendingUser(tokenHash: Buffer, now: Date): Promise<string | undefined>;
  /** Takes a try. Undefined when the login is over, used or has no try left. */
  tryPendingLogin(tokenHash: Buffer, now: Date): Promise<string | undefined>;
  /** Whether it was there: a login goes on once. */
  endPendingLogin(tokenHash: Buffer): Promise<boolean>;
}

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

/** Authenticators and passkeys of a user together. */
export interface FactorTable {
  /** Lists the factors of a user; an authenticator counts once it is confirmed. */
  list(userId: string): Promise<readonly NamedFactor[]>;
}

/** Secrets of authenticators, sealed. */
export interface TotpTable {
  /** Finds a secret that waits for its first code, offered after this moment. */
  findOffered(userId: string, after: Date): Promise<Buffer | undefined>;
  confirm(userId: string, step: number, at: Date): Promise<void>;
  delete(userId: string): Promise<void>;
}

export interface PasskeyTable {
  /** AppError `invalid_passkey` when an account has this passkey already. */
  add(passkey: Omit<StoredPasskey, 'lastUsedAt'>): Promise<void>;
  /** Deletes a passkey, or all of the user. */
  delete(userId: string, passkeyId?: string): Promise<void>;
}

export interface RecoveryCodeTable {
  /** Deletes a code. Returns false when the user has no such code. */
  take(userId: string, codeHash: Buffer): Promise<boolean>;
  /** Inserts codes in place of all before. */
  replace(userId: string, codeHashes: readonly Buffer[]): Promise<void>;
}

/** Logins that wait for the second factor. */
export interface PendingLoginTable {
  delete(userId: string): Promise<void>;
}

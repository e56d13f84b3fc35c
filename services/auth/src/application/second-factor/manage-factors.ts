import { AppError } from '@junction/errors';
import type { UserCommand } from '../../domain/user/decider.js';
import type { NamedFactor } from '../../domain/user/events.js';
import { sessionEnds, userAppend } from '../account/account-appends.js';
import { ownAddress } from '../account/me.js';
import type { ChangedAccount } from '../account/ports.js';
import type { Ports, Visitor } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { SessionCaller } from '../session/logout.js';
import { sessionOver } from '../session/session-over.js';
import type { Tokens } from '../session/session-tokens.js';
import { startSession } from '../session/start-session.js';
import type { FactorChange, PasskeyAssertion, SecondFactors } from './ports.js';
import { plainCode } from './prove-factor.js';

const MINUTE_MS = 60_000;
const TOTP_OFFER_MS = 15 * MINUTE_MS;
const CHALLENGE_MS = 5 * MINUTE_MS;
const RECOVERY_CODES = 10;
const CODE_BYTES = 10;

/** The answer to a user who has added a factor. */
export interface AddedFactor {
  /** Shown once; absent where the user has codes already. */
  readonly recoveryCodes?: readonly string[];
  /** Tokens of the session that replaces all others; absent where a factor was there before. */
  readonly tokens?: Tokens;
}

export interface ChallengeRequest {
  readonly mfaToken: string | undefined;
  readonly visitor: Visitor;
}

interface Sessions {
  readonly refreshTokenTtlMs: number;
}

/** Adds and removes factors of users in a session, which must be alive at the commit. AppError `invalid_token`. */
interface Changer {
  change(caller: SessionCaller, changed: FactorChange, command: Factor): Promise<unknown>;
  /** The first factor ends every session, because none of them has shown it, and begins one that has. */
  add(owner: Owner, changed: FactorChange, how: Added): Promise<AddedFactor>;
}

/** A user in a session who adds a factor. */
export interface Owner extends SessionCaller {
  /** The device of the session that begins with a first factor. */
  readonly device: string | undefined;
}

interface Added {
  readonly command: Factor;
  /** Authentication methods of that session (RFC 8176). */
  readonly amr: readonly string[];
}

function changer(ports: Ports, refreshTokenTtlMs: number): Changer {
  const { accounts, factors, now, random } = ports;
  return {
    change: async ({ userId, sessionId }, changed, command) =>
      factors.change(userId, changed, (account) => {
        demandLive(account, sessionId);
        return userAppend(account, timed(command, now()));
      }),

    async add({ userId, sessionId, device }, changed, { command, amr }) {
      const passwordHash = await accounts.passwordHash(userId);
      const codes = newCodes(random);
      const at = now();
      const ends = { userId, reason: 'second_factor_added' as const, at: at.toISOString() };
      const change = { ...changed, firstCodes: codes.map(hashOf) };
      const before = await factors.change(userId, change, (account) => {
        demandLive(account, sessionId);
        const appends = userAppend(account, timed(command, at));
        const isFirst = account.factors.length === 0;
        return isFirst ? [...appends, ...sessionEnds(account.sessions, ends)] : appends;
      });
      if (before.factors.length > 0) return {};
      const proof = { provedAt: now(), amr };
      const begun = { userId, device, proof, passwordHash };
      const tokens = await startSession(ports, begun, refreshTokenTtlMs);
      return { recoveryCodes: codes, tokens };
    },
  };
}

/** A first factor that was added at the same moment, a reset or an undo ends sessions. */
function demandLive({ sessions }: ChangedAccount, sessionId: string): void {
  if (!sessions.some((session) => session.sessionId === sessionId)) throw sessionOver();
}

/** Use cases of users with their second factors. Each change is behind a recent proof where a factor exists. */
export const manageFactors = (ports: Ports, { refreshTokenTtlMs }: Sessions) => {
  const { factors, now, random } = ports;
  const changes = changer(ports, refreshTokenTtlMs);
  return {
    list: factors.of,
    ...authenticators(ports, changes),
    ...passkeys(ports, changes),

    /** Ten codes in place of those before. AppError `no_second_factor`. */
    async newRecoveryCodes(caller: SessionCaller): Promise<readonly string[]> {
      if (!hasFactor(await factors.of(caller.userId))) throw noFactor();
      const codes = newCodes(random);
      const changed = { recoveryCodes: codes.map(hashOf) };
      await changes.change(caller, changed, { type: 'NewRecoveryCodes', data: {} });
      return codes;
    },

    /**
     * Gives a challenge for an authenticator of any user, or of the user whose login waits for it. AppError
     * `too_many_attempts`, `too_busy`: each challenge is stored until it expires.
     */
    async passkeyChallenge({ mfaToken, visitor }: ChallengeRequest) {
      await ports.limits.challenge(visitor);
      const userId = mfaToken && (await factors.pendingUser(hashOfSecret(mfaToken), now()));
      const known = userId ? (await factors.of(userId)).passkeys : [];
      const { challenge, options } = await ports.webAuthn.authenticationOptions(known);
      const purpose = 'authenticate' as const;
      return { challengeId: await keep(ports, userId || null, { challenge, purpose }), options };
    },
  };
};

const authenticators = (ports: Ports, { add, change }: Changer) => {
  const { factors, totp, now } = ports;
  return {
    /** A secret for an authenticator, to be confirmed within 15 minutes. AppError `totp_exists`. */
    async offerTotp(userId: string) {
      const email = await ownAddress(ports, userId);
      if ((await factors.of(userId)).totpSince !== null) throw totpExists();
      const secret = totp.newSecret();
      await factors.offerTotp(userId, secret, now());
      return totp.describe(secret, email);
    },

    /** AppError `invalid_code`. */
    async confirmTotp(caller: SessionCaller, code: string, device: string | undefined) {
      const { userId } = caller;
      const notBefore = new Date(now().getTime() - TOTP_OFFER_MS);
      const secret = await factors.totpSecret(userId, { confirmed: false, notBefore });
      const step = secret && totp.stepOf(secret, code, now());
      if (step === undefined || !(await factors.takeStep(userId, step))) throw invalidCode();
      const command = { type: 'AddFactor' as const, data: { factor: 'totp' as const } };
      return add(
        { ...caller, device },
        { confirmTotp: true },
        { command, amr: ['pwd', 'otp', 'mfa'] },
      );
    },

    /** Does nothing where there is none. */
    async removeTotp(caller: SessionCaller): Promise<void> {
      if ((await factors.of(caller.userId)).totpSince === null) return;
      await change(
        caller,
        { removeTotp: true },
        { type: 'RemoveFactor', data: { factor: 'totp' } },
      );
    },
  };
};

const passkeys = (ports: Ports, { add, change }: Changer) => {
  const { factors, webAuthn, now } = ports;
  return {
    async offerPasskey(userId: string) {
      const email = await ownAddress(ports, userId);
      const { passkeys } = await factors.of(userId);
      const { challenge, options } = await webAuthn.registrationOptions(
        { userId, email },
        passkeys,
      );
      return {
        challengeId: await keep(ports, userId, { challenge, purpose: 'register' }),
        options,
      };
    },

    /** AppError `invalid_passkey`. */
    async addPasskey(
      { name, ...owner }: Owner & { readonly name: string },
      { challengeId, response }: PasskeyAssertion,
    ): Promise<AddedFactor & { readonly passkeyId: string }> {
      const wanted = { purpose: 'register' as const, now: now() };
      const challenge = await factors.takeChallenge(challengeId, wanted);
      const made =
        challenge?.userId === owner.userId
          ? await webAuthn.verifyRegistration(response, challenge.challenge)
          : undefined;
      if (made === undefined) throw invalidPasskey();
      const passkeyId = ports.newPasskeyId();
      const addPasskey = { ...made, passkeyId, name, createdAt: now() };
      const data = { factor: 'passkey' as const, passkeyId };
      const command = { type: 'AddFactor' as const, data };
      return { ...(await add(owner, { addPasskey }, { command, amr: ['hwk', 'mfa'] })), passkeyId };
    },

    /** AppError `passkey_not_found`. */
    async removePasskey(caller: SessionCaller, passkeyId: string): Promise<void> {
      const { passkeys } = await factors.of(caller.userId);
      if (!passkeys.some((one) => one.passkeyId === passkeyId)) throw passkeyNotFound();
      const data = { factor: 'passkey' as const, passkeyId };
      await change(caller, { removePasskey: passkeyId }, { type: 'RemoveFactor', data });
    },
  };
};

/** A command without its time. */
type Factor =
  | { readonly type: 'AddFactor' | 'RemoveFactor'; readonly data: NamedFactor }
  | { readonly type: 'NewRecoveryCodes'; readonly data: object };

const timed = (command: Factor, at: Date): UserCommand =>
  ({ ...command, data: { ...command.data, at: at.toISOString() } }) as UserCommand;

async function keep(
  { factors, now, random }: Ports,
  userId: string | null,
  { challenge, purpose }: { challenge: string; purpose: 'register' | 'authenticate' },
): Promise<string> {
  const challengeId = random(16).toString('base64url');
  const expiresAt = new Date(now().getTime() + CHALLENGE_MS);
  await factors.keepChallenge({ challengeId, challenge, userId, purpose, expiresAt });
  return challengeId;
}

export const hasFactor = ({ totpSince, passkeys }: SecondFactors): boolean =>
  totpSince !== null || passkeys.length > 0;

/** Eighty bits each, in groups that people can copy. */
const newCodes = (random: Ports['random']): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    [...random(CODE_BYTES).toString('hex').matchAll(/.{5}/g)].join('-'),
  );

const hashOf = (code: string): Buffer => hashOfSecret(plainCode(code));

const totpExists = (): AppError =>
  new AppError('totp_exists', 'You have an authenticator already. Remove it first.');

const invalidCode = (): AppError =>
  new AppError(
    'invalid_code',
    'This code is wrong or has expired. Enter the one your app shows now.',
  );

export const invalidPasskey = (): AppError =>
  new AppError('invalid_passkey', 'This passkey was not made for us just now. Try again.');

const passkeyNotFound = (): AppError =>
  new AppError('passkey_not_found', 'You have no passkey with this id.');

const noFactor = (): AppError =>
  new AppError('no_second_factor', 'Recovery codes come with a second factor. Add one.');

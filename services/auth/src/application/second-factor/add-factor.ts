import type { NamedFactor } from '../../domain/user/events.js';
import type { Ports } from '../ports.js';
import type { SessionCaller } from '../session/ports.js';
import { type Tokens, tokensOf } from '../session-tokens.js';
import { addSession, type StartedSession } from '../start-session.js';
import type { Transaction } from '../unit-of-work.js';
import { hashOfCode, makeCodes } from './recovery-codes.js';

/** A user in a session who adds a factor. */
export interface Owner extends SessionCaller {
  /** The device of the session that begins with a first factor. */
  readonly device: string | undefined;
}

export interface NewFactor {
  readonly factor: NamedFactor;
  /** Authentication methods of the session that begins with a first factor (RFC 8176). */
  readonly amr: readonly string[];
  readonly refreshTokenTtlMs: number;
}

/** The effects of a first factor. */
export interface FirstFactor {
  readonly recoveryCodes: readonly string[];
  readonly session: StartedSession;
}

/**
 * Adds a factor to a locked account, before the factor is written to its table. The first one ends every session,
 * because none of them has shown it, begins one that has, and gives recovery codes; undefined for a further one.
 */
export async function addFactor(
  tx: Transaction,
  ports: Ports,
  { userId, device }: Owner,
  { factor, amr, refreshTokenTtlMs }: NewFactor,
): Promise<FirstFactor | undefined> {
  const before = await tx.factors.list(userId);
  const provedAt = ports.now();
  const at = provedAt.toISOString();
  await tx.handleUser(userId, { type: 'AddFactor', data: { ...factor, at } });
  if (before.length > 0) return undefined;
  const recoveryCodes = makeCodes(ports.random);
  await tx.recoveryCodes.replace(userId, recoveryCodes.map(hashOfCode));
  const sessions = await tx.sessions.ofUser(userId);
  await tx.endSessions(sessions, { userId, reason: 'second_factor_added', at });
  const begun = { userId, device, proof: { provedAt, amr } };
  return { recoveryCodes, session: await addSession(tx, ports, begun, refreshTokenTtlMs) };
}

/** The answer to a user who has added a factor. */
export interface AddedFactor {
  /** Shown once; absent where the user has codes already. */
  readonly recoveryCodes?: readonly string[];
  /** Tokens of the session that replaces all others; absent where a factor was there before. */
  readonly tokens?: Tokens;
}

export async function addedFactor(
  ports: Ports,
  first: FirstFactor | undefined,
): Promise<AddedFactor> {
  if (first === undefined) return {};
  const { recoveryCodes, session } = first;
  return { recoveryCodes, tokens: await tokensOf(ports, session, session.refreshToken) };
}

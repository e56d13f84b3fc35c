import { describe, expect, it } from '@jest/globals';
import { apiKeys } from './api-keys.js';
import { sessions } from './sessions.js';
import { users } from './users.js';

const at = '2030-01-02T03:04:05.000Z';
const userId = 'b2f7c1de-6f1c-4c0e-9a3b-0d7d5c1a2b3c';
const placeAt = (streamId: string, version: number) => ({
  streamId,
  version,
  recordedAt: new Date(at),
});

describe('the users', () => {
  it('hold who registered, until she is deleted', () => {
    const email = 'ada@example.com';
    const data = { userId, email, at };
    const row = users.evolve(undefined, { type: 'user.registered', data }, placeAt('user-1', 1));

    const times = { created_at: at, email_verified_at: null };
    expect(row).toEqual({
      user_id: userId,
      version: 1,
      email,
      origin: null,
      ...times,
      role: 'user',
      trouble_mails: true,
      closed_at: null,
    });
    const changed = {
      type: 'user.email_changed' as const,
      data: { userId, email: 'lovelace@example.com', at },
    };
    expect(users.evolve(row, changed, placeAt('user-1', 2))).toEqual({
      ...row,
      version: 2,
      email: 'lovelace@example.com',
      email_verified_at: at,
    });
    const promoted = {
      type: 'user.role_changed' as const,
      data: { userId, role: 'operator' as const, by: 'cli_operator', at },
    };
    expect(users.evolve(row, promoted, placeAt('user-1', 2))?.role).toBe('operator');
    const closed = { type: 'user.closed' as const, data: { userId, at } };
    expect(users.evolve(row, closed, placeAt('user-1', 2))?.closed_at).toBe(at);
    const deleted = { type: 'user.deleted' as const, data: { userId, at } };
    expect(users.evolve(row, deleted, placeAt('user-1', 2))).toBeUndefined();
  });
});

describe('the sessions', () => {
  it('hold what was started, until it is revoked', () => {
    const data = { sessionId: 'ses_1', userId, at };
    const row = sessions.evolve(
      undefined,
      { type: 'session.started', data },
      placeAt('session-1', 1),
    );

    expect(row).toEqual({
      session_id: 'ses_1',
      version: 1,
      user_id: userId,
      started_at: at,
    });
    const revoked = {
      type: 'session.revoked' as const,
      data: { ...data, reason: 'logout' as const },
    };
    expect(sessions.evolve(row, revoked, placeAt('session-1', 2))).toBeUndefined();
  });
});

describe('the API keys', () => {
  it('hold what was created, until it is revoked', () => {
    const data = { keyId: 'key_1', userId, name: 'laptop', scopes: ['api'], at };
    const row = apiKeys.evolve(
      undefined,
      { type: 'api_key.created', data },
      placeAt('api_key-1', 1),
    );

    expect(row).toEqual({
      key_id: 'key_1',
      version: 1,
      user_id: userId,
      name: 'laptop',
      scopes: ['api'],
      created_at: at,
      expires_at: null,
      previous_valid_until: null,
    });
    const revoked = {
      type: 'api_key.revoked' as const,
      data: { keyId: 'key_1', userId, reason: 'user' as const, at },
    };
    expect(apiKeys.evolve(row, revoked, placeAt('api_key-1', 2))).toBeUndefined();
  });
});

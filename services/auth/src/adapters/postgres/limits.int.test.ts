import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { authSchema } from '../../../test/auth-on-postgres.js';
import type { LimitState, Visitor } from '../../application/ports.js';
import { postgresLimits } from './limits.js';

const database = useDatabase(authSchema);

const replica = (limits = {}) =>
  postgresLimits({
    pool: database().pool,
    loginOfAccount: { points: 3, windowS: 60 },
    loginOfNetwork: { points: 6, windowS: 60 },
    registration: { points: 20, windowS: 60 },
    ...limits,
  });

const from = (ip: string, onLimit: Visitor['onLimit'] = () => {}): Visitor => ({ ip, onLimit });
const wrong = async () => undefined;
const right = async () => 'user-1';
const tooMany = expect.objectContaining({
  kind: 'rate_limited',
  code: 'too_many_attempts',
  retryAfterS: expect.any(Number),
});

describe('the login limit', () => {
  it('counts guesses sent all at once, on whatever replica they land', async () => {
    const replicas = [replica(), replica()];
    const attempt = { email: 'a@example.com', visitor: from('192.0.2.10') };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => replicas[n % 2]?.login(attempt, wrong)),
    );

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(tooMany);
    }
  });

  it('of an account in one network does not lock its owner out of another', async () => {
    const limits = replica();
    const email = 'b@example.com';
    for (let n = 0; n < 3; n++) await limits.login({ email, visitor: from('192.0.2.20') }, wrong);

    await expect(limits.login({ email, visitor: from('192.0.2.20') }, right)).rejects.toEqual(
      tooMany,
    );
    await expect(limits.login({ email, visitor: from('192.0.2.21') }, right)).resolves.toBe(
      'user-1',
    );
  });

  it('of a network counts guesses over all accounts', async () => {
    const limits = replica();
    const guess = (n: number) =>
      limits.login({ email: `c${n}@example.com`, visitor: from('192.0.2.30') }, wrong);
    for (let n = 0; n < 6; n++) await guess(n);
    await expect(guess(7)).rejects.toEqual(tooMany);
  });

  it('does not count logins that succeed', async () => {
    const limits = replica();
    const attempt = { email: 'd@example.com', visitor: from('192.0.2.40') };
    for (let n = 0; n < 10; n++) expect(await limits.login(attempt, right)).toBe('user-1');
  });

  it('tells how a visitor stands, and again once a login has succeeded', async () => {
    const limits = replica();
    const told = new Map<string, LimitState>();
    const visitor = from('192.0.2.41', (state) => told.set(state.name, state));
    const attempt = { email: 'f@example.com', visitor };
    const left = () => [...told.values()].map(({ name, remaining }) => [name, remaining]);
    await limits.login(attempt, wrong);
    expect(left()).toEqual([
      ['login-account', 2],
      ['login-network', 5],
    ]);
    expect(told.get('login-account')).toMatchObject({ limit: 3, windowS: 60 });
    await limits.login(attempt, right);
    expect(left()).toEqual([
      ['login-account', 3],
      ['login-network', 5],
    ]);
  });

  it('counts no attempt that we were too busy for, and keeps the guesses before it', async () => {
    const limits = replica();
    const attempt = { email: 'e@example.com', visitor: from('192.0.2.50') };
    const busy = async () => Promise.reject(new Error('busy'));

    await limits.login(attempt, wrong);
    for (let n = 0; n < 5; n++) await expect(limits.login(attempt, busy)).rejects.toThrow('busy');
    await limits.login(attempt, wrong);
    await limits.login(attempt, wrong);
    await expect(limits.login(attempt, right)).rejects.toEqual(tooMany);
  });

  it('says neither whose account was tried nor from where', async () => {
    const { rows } = await database().pool.query<{ key: string }>('select key from attempts');
    expect(rows.length).toBeGreaterThan(0);
    for (const { key } of rows) expect(key).not.toMatch(/example|192/);
  });
});

describe('the limit on registrations', () => {
  it('ends trying out who has an account after ten addresses', async () => {
    const limits = replica({ registration: { points: 50, windowS: 60 } });
    const visitor = from('192.0.2.60');
    for (let n = 0; n < 10; n++) {
      await limits.register(visitor);
      await limits.tookTaken(visitor);
    }
    await expect(limits.register(visitor)).rejects.toEqual(tooMany);
  });

  it('leaves room for many who are new', async () => {
    const limits = replica({ registration: { points: 50, windowS: 60 } });
    const visitor = from('192.0.2.61');
    for (let n = 0; n < 50; n++) await limits.register(visitor);
    await expect(limits.register(visitor)).rejects.toEqual(tooMany);
  });
});

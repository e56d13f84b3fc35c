import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, useDatabase } from '@junction/testing';
import { authSchema } from '../../../test/schema.js';
import type { LimitState, Visitor } from '../../application/ports.js';
import { postgresLimits } from './limits.js';

const WINDOW_S = 60;

const database = useDatabase(authSchema);
beforeEach(async () => void (await database().pool.query('truncate attempts')));

const replica = (limits = {}) =>
  postgresLimits({
    pool: database().pool,
    limits: () => ({
      loginOfAccount: { points: 3, windowS: WINDOW_S },
      loginOfNetwork: { points: 6, windowS: WINDOW_S },
      registration: { points: 20, windowS: WINDOW_S },
      ...limits,
    }),
  });

const from = (ip: string, onLimit: Visitor['onLimit'] = () => {}): Visitor => ({ ip, onLimit });
const wrong = async () => undefined;
const right = async () => 'user-1';
const tooMany = expect.objectContaining({
  kind: 'rate_limited',
  code: 'too_many_attempts',
  retryAfterS: expect.any(Number),
});
const email = 'ada@example.com';
const visitor = from('192.0.2.10');

/** How many of so many attempts at once are told whether they are right. */
async function answered(count: number, attempt: (n: number) => Promise<unknown>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, n) => attempt(n)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toEqual(tooMany);
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

/** A proof that takes until it is finished. */
function slowProof() {
  let finish = () => {};
  const slow = new Promise<string>((resolve) => {
    finish = () => resolve('user-1');
  });
  return { slow, finish };
}

/** The windows of all counts have ended. */
const windowsEnd = async () => database().pool.query('update attempts set expire = 0');

describe('the login limit', () => {
  it('refuses none of many right logins at once', async () => {
    const limits = replica();
    const all = await Promise.all(
      Array.from({ length: 40 }, () => limits.login({ email, visitor }, right)),
    );
    expect(new Set(all)).toEqual(new Set(['user-1']));
  });

  it('bounds guesses sent all at once', async () => {
    const limits = replica();
    expect(await answered(40, () => limits.login({ email, visitor }, wrong))).toBe(3);
  });

  it('lets each replica answer one guess too many, and no more', async () => {
    const replicas = [replica(), replica()];
    const told = await answered(40, async (n) => replicas[n % 2]?.login({ email, visitor }, wrong));
    expect(told).toBeGreaterThanOrEqual(3);
    expect(told).toBeLessThanOrEqual(4);
    expect(await answered(40, async () => replica().login({ email, visitor }, wrong))).toBe(0);
  });

  it('locks the owner of an account out of one network, and of no other', async () => {
    const limits = replica();
    for (let n = 0; n < 3; n++) await limits.login({ email, visitor }, wrong);
    await expect(limits.login({ email, visitor }, right)).rejects.toEqual(tooMany);
    const elsewhere = { email, visitor: from('192.0.2.21') };
    await expect(limits.login(elsewhere, right)).resolves.toBe('user-1');
  });

  it('counts guesses of a network over all accounts, also those sent at once', async () => {
    const limits = replica();
    const guess = (n: number) => limits.login({ email: `c${n}@example.com`, visitor }, wrong);
    expect(await answered(40, guess)).toBe(6);
  });

  it('counts a /64, a /56 and a /48 of IPv6 together', async () => {
    const limits = replica({ loginOfNetwork: { points: 1_000, windowS: WINDOW_S } });
    const guess = (ip: string) => limits.login({ email, visitor: from(ip) }, wrong);
    const inOneNetwork = (n: number) => guess(`2001:db8:0:${(n * 64).toString(16)}::1`);
    expect(await answered(40, () => guess('2001:db8::1'))).toBe(3);
    expect(await answered(40, (n) => guess(`2001:db8::${n.toString(16)}:0:0:1`))).toBe(0);
    expect(await answered(40, (n) => guess(`2001:db8:0:${n.toString(16)}::1`))).toBe(3);
    expect(await answered(150, inOneNetwork)).toBe(6);
    expect(await answered(3, () => guess('2001:db8:1::1'))).toBe(3);
  });

  it('says when the next attempt is taken, where several bounds are reached', async () => {
    const limits = replica({ loginOfNetwork: { points: 3, windowS: 10 * WINDOW_S } });
    for (let n = 0; n < 3; n++) await limits.login({ email, visitor }, wrong);
    const waiting = await limits.login({ email, visitor }, right).catch((error: unknown) => error);
    expect(waiting).toMatchObject({ retryAfterS: 10 * WINDOW_S });
    await windowsEnd();
    await expect(limits.login({ email, visitor }, right)).resolves.toBe('user-1');
  });

  it('lets the owner of a password that was reset in', async () => {
    const limits = replica();
    for (let n = 0; n < 3; n++) await limits.login({ email, visitor }, wrong);
    await limits.passwordReset({ email, visitor });
    await expect(limits.login({ email, visitor }, right)).resolves.toBe('user-1');
  });

  it('tells how a visitor stands, and again once a login has succeeded', async () => {
    const limits = replica();
    const told = new Map<string, LimitState>();
    const attempt = { email, visitor: from('192.0.2.41', (state) => told.set(state.name, state)) };
    const left = () => [...told.values()].map(({ name, remaining }) => [name, remaining]);
    await limits.login(attempt, wrong);
    expect(left()).toEqual([
      ['login-account', 2],
      ['login-network', 5],
    ]);
    expect(told.get('login-account')).toMatchObject({ limit: 3, windowS: WINDOW_S });
    await limits.login(attempt, right);
    expect(left()).toEqual([
      ['login-account', 3],
      ['login-network', 5],
    ]);
  });

  it('counts no attempt that we were too busy for, and keeps the guesses before it', async () => {
    const limits = replica();
    const attempt = { email, visitor };
    const busy = async () => Promise.reject(new Error('busy'));
    await limits.login(attempt, wrong);
    for (let n = 0; n < 5; n++) await expect(limits.login(attempt, busy)).rejects.toThrow('busy');
    await limits.login(attempt, wrong);
    await limits.login(attempt, wrong);
    await expect(limits.login(attempt, right)).rejects.toEqual(tooMany);
  });

  it('tells who is one too many in the line to come back in a second, and nobody else', async () => {
    const limits = replica();
    const order: string[] = [];
    const { slow, finish } = slowProof();
    const login = (email: string) =>
      limits.login({ email, visitor }, async () => {
        order.push(email);
        return slow;
      });
    const waiting = Array.from({ length: 201 }, () => login(email));
    await expect(login(email)).rejects.toMatchObject({ code: 'too_busy', retryAfterS: 1 });
    waiting.push(login('bob@example.com'));
    await eventually(() => expect(order).toHaveLength(1));
    finish();
    await expect(Promise.all(waiting)).resolves.toHaveLength(202);
    expect(order.indexOf('bob@example.com')).toBeLessThanOrEqual(2);
  });

  it('lets nothing else of the network wait for passwords', async () => {
    const limits = replica();
    const { slow, finish } = slowProof();
    const waiting = Array.from({ length: 10 }, (_, n) =>
      limits.login({ email: `c${n}@example.com`, visitor }, () => slow),
    );
    expect(await limits.secondFactor({ userId: 'user-1', visitor }, right)).toBe('user-1');
    expect(await limits.register(visitor, async () => false)).toBe(false);
    await Promise.all([limits.forgot(visitor), limits.challenge(visitor)]);
    finish();
    await Promise.all(waiting);
  });

  it('says neither whose account was tried nor from where, and nothing once its time is over', async () => {
    const limits = replica();
    await limits.login({ email, visitor }, wrong);
    const { pool } = database();
    const { rows } = await pool.query<{ key: string }>('select key from attempts');
    expect(rows.length).toBeGreaterThan(0);
    for (const { key } of rows) expect(key).not.toMatch(/example|192/);
    await windowsEnd();
    await limits.login({ email: 'bob@example.com', visitor: from('192.0.2.11') }, wrong);
    await limits.deleteEnded();
    expect((await pool.query('select from attempts')).rowCount).toBe(2);
  });
});

describe('the limit on second factors', () => {
  const userId = 'user-1';
  const guess = (limits: ReturnType<typeof replica>, n: number, prove: () => Promise<unknown>) =>
    limits.secondFactor({ userId, visitor: from(`2001:db8:${n.toString(16)}::1`) }, prove);

  it('counts those of an account over all networks, also those sent at once', async () => {
    const limits = replica();
    expect(await answered(150, (n) => guess(limits, n, wrong))).toBe(20);
    await expect(guess(limits, 200, right)).rejects.toEqual(tooMany);
    const another = { userId: 'user-2', visitor: from('2001:db8::1') };
    await expect(limits.secondFactor(another, right)).resolves.toBe('user-1');
  });

  it('begins anew with a right one, and not with a password that was reset', async () => {
    const limits = replica();
    expect(await answered(19, (n) => guess(limits, n, wrong))).toBe(19);
    await expect(guess(limits, 100, right)).resolves.toBe('user-1');
    expect(await answered(40, (n) => guess(limits, n, wrong))).toBe(20);
    await limits.passwordReset({ email, visitor });
    await expect(guess(limits, 200, right)).rejects.toEqual(tooMany);
  });
});

describe('a secret that nobody can guess', () => {
  it('is taken where it is right, however many wrong ones were shown', async () => {
    const limits = replica();
    const attempt = { clientId: 'cli_worker', visitor };
    expect(await answered(40, () => limits.clientProof(attempt, wrong))).toBe(3);
    expect(await answered(100, () => limits.clientProof(attempt, right))).toBe(100);
    expect(await answered(40, () => limits.mailedToken(visitor, wrong))).toBe(6);
    expect(await answered(100, () => limits.mailedToken(visitor, right))).toBe(100);
  });

  it('does not keep people of the same network from their passwords', async () => {
    const limits = replica();
    for (let n = 0; n < 10; n++) {
      await answered(10, () => limits.clientProof({ clientId: `cli_${n}`, visitor }, wrong));
    }
    await expect(limits.login({ email, visitor }, right)).resolves.toBe('user-1');
  });
});

describe('the limit on challenges', () => {
  it('ends what one network may have stored, and says when the next is given', async () => {
    const limits = replica();
    expect(await answered(100, () => limits.challenge(visitor))).toBe(60);
    await expect(limits.challenge(from('192.0.2.22'))).resolves.toBeUndefined();
    const refused = await limits.challenge(visitor).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'too_many_attempts' });
    const { retryAfterS = 0 } = refused as { retryAfterS?: number };
    expect(retryAfterS).toBeGreaterThan(WINDOW_S - 30);
    expect(retryAfterS).toBeLessThanOrEqual(WINDOW_S);
  });
});

describe('the limit on registrations', () => {
  const limited = () => replica({ registration: { points: 50, windowS: WINDOW_S } });

  it('ends trying out who has an account after ten addresses, also when all are sent at once', async () => {
    const limits = limited();
    expect(await answered(150, () => limits.register(visitor, async () => true))).toBe(10);
  });

  it('leaves room for many who are new', async () => {
    const limits = limited();
    expect(await answered(60, () => limits.register(visitor, async () => false))).toBe(50);
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newGrant, useAdapters } from '../../../test/on-postgres.js';
import type { SecurityEvent } from '../../domain/security-event.js';
import { purgeSecurityEvents } from './security-events.js';

const adapters = useAdapters();
const BEGAN = new Date('2026-01-02T03:04:05.678Z');
const MINUTE_MS = 60_000;
const after = (ms: number) => new Date(BEGAN.getTime() + ms);

describe('a security event', () => {
  it('ends the connections of its account, whoever connected it, and no other', async () => {
    const accountId = randomUUID();
    const [ada, bob, other] = [
      await connected(accountId),
      await connected(accountId),
      await connected(),
    ];
    const elsewhere = await connected(accountId, 'calendar');
    const jti = await take({ accountId });
    for (const user of [ada, bob]) {
      expect(await user.row()).toMatchObject({
        status: 'revoked',
        status_reason: 'tokens_revoked',
      });
      expect(await user.hasTokens()).toBe(false);
    }
    for (const user of [other, elsewhere]) {
      expect(await user.row()).toMatchObject({ status: 'active' });
      expect(await user.hasTokens()).toBe(true);
    }
    expect(await recorded(jti)).toEqual([{ names: ['tokens-revoked'], effect: 'ended' }]);
  });

  it('has its effect once, also after the user connected again', async () => {
    const user = await connected();
    const event = eventOf({ accountId: user.accountId });
    await take(event);
    expect(await user.row()).toMatchObject({ status: 'revoked' });
    await user.connect(after(-MINUTE_MS));
    await take(event);
    expect(await user.row()).toMatchObject({ status: 'active' });
    await take({ ...event, jti: randomUUID() });
    expect(await user.row()).toMatchObject({ status: 'revoked' });
  });

  it('from before the connection is recorded, and no more', async () => {
    const user = await connected();
    const old = after(-6 * MINUTE_MS);
    const jti = await take({ accountId: user.accountId, issuedAt: old, happenedAt: old });
    expect(await user.row()).toMatchObject({ status: 'active' });
    expect(await user.isDoubted()).toBe(false);
    expect(await recorded(jti)).toMatchObject([{ effect: 'none' }]);
  });

  it('that may concern the tokens, or may be older, has the provider asked', async () => {
    const [ada, bob] = [await connected(), await connected()];
    const jti = await take({ accountId: ada.accountId, names: ['session-revoked'] });
    await take({ accountId: bob.accountId, happenedAt: after(-MINUTE_MS) });
    for (const user of [ada, bob]) {
      expect(await user.row()).toMatchObject({ status: 'active' });
      expect(await user.isDoubted()).toBe(true);
    }
    expect(await recorded(jti)).toMatchObject([{ effect: 'doubted' }]);
  });

  it('about nobody, or of another kind, is recorded', async () => {
    const user = await connected();
    for (const changes of [{ accountId: undefined }, { names: ['verification'] }]) {
      const jti = await take({ accountId: user.accountId, ...changes });
      expect(await recorded(jti)).toMatchObject([{ effect: 'none' }]);
    }
    expect(await user.row()).toMatchObject({ status: 'active' });
  });

  it('sent twice at once counts once', async () => {
    const user = await connected();
    const event = eventOf({ accountId: user.accountId });
    await Promise.all([take(event), take(event), take(event)]);
    const { connections } = adapters();
    const connectionId = (await user.row())?.connection_id ?? '';
    const history = await connections.history(connectionId, { limit: 10 });
    expect(history.map(({ item }) => item.type)).toEqual([
      'integration.revoked',
      'integration.connected',
    ]);
  });

  it('is remembered for a month', async () => {
    const { pool } = adapters();
    const [kept, gone] = [await take({}), await take({})];
    const age = async (jti: string, days: number) =>
      pool.query(
        `update security_events set received_at = now() - make_interval(days => $2)
          where jti_hash = sha256($1::bytea)`,
        [Buffer.from(jti), days],
      );
    await age(kept, 30);
    await age(gone, 32);
    await purgeSecurityEvents(pool);
    expect(await recorded(kept)).toHaveLength(1);
    expect(await recorded(gone)).toEqual([]);
  });
});

const eventOf = (changes: Partial<SecurityEvent>): SecurityEvent => ({
  jti: randomUUID(),
  names: ['tokens-revoked'],
  accountId: undefined,
  issuedAt: after(0),
  happenedAt: after(0),
  ...changes,
});

async function take(changes: Partial<SecurityEvent>): Promise<string> {
  const event = eventOf(changes);
  await adapters().securityEvents.take('mailbox', event, after(0));
  return event.jti;
}

async function recorded(jti: string) {
  const { rows } = await adapters().pool.query(
    `select names, effect from security_events where jti_hash = sha256($1::bytea)`,
    [Buffer.from(jti)],
  );
  return rows as readonly unknown[];
}

async function connected(accountId = randomUUID(), provider: 'mailbox' | 'calendar' = 'mailbox') {
  const { connections, pool } = adapters();
  const id = randomUUID();
  const connect = async (at: Date) =>
    connections.connect(id, provider, newGrant({ accountId }), { separateGrants: true, at });
  await connect(BEGAN);
  return {
    accountId,
    connect,
    row: async () => connections.find(id, provider),
    hasTokens: async () => (await connections.standing(id, provider))?.credential !== undefined,
    async isDoubted() {
      const { rows } = await pool.query<{ doubted: boolean }>(
        `select doubted from connection_checks join connections using (connection_id)
          where user_id = $1`,
        [id],
      );
      return rows[0]?.doubted;
    },
  };
}

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { encodeDomainEvent } from '@junction/contracts';
import { migrate } from '@junction/eventsourcing/postgres';
import type { InboundRecord } from '@junction/messaging';
import { useDatabase } from '@junction/testing';
import { AUTH_TOPIC, onAuthEvents } from './auth-events.js';
import { revocationMigrations, revocations } from './revocations.js';

const database = useDatabase({
  template: 'auth-events',
  migrate: (url) => migrate(url, revocationMigrations),
});

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

describe('a revocation', () => {
  it('counts for its session, and for a caller who shows it among others', async () => {
    const { isRevoked } = await recorded('ses_1', 15);
    expect(await isRevoked(['ses_1'])).toBe(true);
    expect(await isRevoked(['user-1', 'ses_1'])).toBe(true);
    expect(await isRevoked(['user-1', 'ses_2'])).toBe(false);
  });

  it('is told from those of others that are asked about with it', async () => {
    const { revokedAmong } = await recorded('ses_2', 15);
    await recorded('ses_4', -1);
    expect(await revokedAmong(['ses_2', 'ses_4', 'user-1'])).toEqual(new Set(['ses_2']));
    expect(await revokedAmong([])).toEqual(new Set());
  });

  it('ends when the last token it was about has expired', async () => {
    const { isRevoked } = await recorded('ses_3', -1);
    expect(await isRevoked(['ses_3'])).toBe(false);
  });

  it('commits and rolls back with the caller', async () => {
    const { isRevoked, record } = revocations(database().pool);
    const tx = await database().pool.connect();
    try {
      await tx.query('begin');
      await record(tx, 'ses_5', inMinutes(15));
      await tx.query('rollback');
    } finally {
      tx.release();
    }
    expect(await isRevoked(['ses_5'])).toBe(false);
  });

  it('takes those that are over along', async () => {
    await recorded('ses_6', -1);
    await recorded('ses_7', 15);
    const { rows } = await database().pool.query(`select id from revocations where id = 'ses_6'`);
    expect(rows).toEqual([]);
  });

  it('revives when it is over and told again', async () => {
    const { isRevoked, record } = await recorded('ses_8', -1);
    await record(database().pool, 'ses_8', inMinutes(15));
    expect(await isRevoked(['ses_8'])).toBe(true);
  });
});

describe('handling the events of auth', () => {
  it('takes a revoked session out for as long as its tokens could live', async () => {
    const sessionId = `ses_${randomUUID()}`;
    const { isRevoked, handle } = listening();
    await handle(sessionRevoked(sessionId, new Date()));
    expect(await isRevoked([sessionId])).toBe(true);

    const portalIds = [`ptl_${randomUUID()}`, `ptl_${randomUUID()}`];
    await handle(record('user.recovered', { portalIds, occurredAt: new Date() }));
    for (const id of portalIds) expect(await isRevoked([id])).toBe(true);

    const old = `ses_${randomUUID()}`;
    await handle(sessionRevoked(old, new Date(Date.now() - 16 * 60_000)));
    expect(await isRevoked([old])).toBe(false);
  });

  it('forgets a deleted user, and acts on it after the commit', async () => {
    const userId = randomUUID();
    const { isRevoked, handle, deleted, told } = listening();
    const afterwards = await handle(record('user.deleted', { userId }));
    expect(deleted).toEqual([[userId]]);
    expect(await isRevoked([userId])).toBe(true);
    expect(told).toEqual([]);
    afterwards?.();
    expect(told).toEqual([userId]);
  });

  it('ends what acts for a user whose account is closed, until it is reopened', async () => {
    const userId = randomUUID();
    const { isRevoked, handle, deleted, final } = listening();
    await handle(record('user.closed', { userId }));
    expect([deleted, final]).toEqual([[[userId]], [false]]);
    expect(await isRevoked([userId])).toBe(true);
    await handle(record('user.reopened', { userId: userId.toUpperCase() }));
    expect(await isRevoked([userId])).toBe(false);
    await handle(record('user.closed', { userId }), record('user.deleted', { userId }));
    expect([deleted, final]).toEqual([
      [[userId], [userId]],
      [false, true],
    ]);
  });

  it('forgets the users of a batch together, each once', async () => {
    const { handle, deleted, isRevoked } = listening();
    const [first, second, sessionId] = [randomUUID(), randomUUID(), `ses_${randomUUID()}`];
    await handle(
      record('user.deleted', { userId: first }),
      sessionRevoked(sessionId, new Date()),
      record('user.deleted', { userId: second }),
      record('user.deleted', { userId: first.toUpperCase() }),
    );
    expect(deleted).toEqual([[first, second]]);
    expect(await isRevoked([sessionId])).toBe(true);
    expect(await isRevoked([second])).toBe(true);
  });

  it('keeps a session revoked when an older record about it comes last, or the same one again', async () => {
    const sessionId = `ses_${randomUUID()}`;
    const { isRevoked, handle } = listening();
    const newer = sessionRevoked(sessionId, new Date());
    const older = sessionRevoked(sessionId, new Date(Date.now() - 16 * 60_000));
    for (const inbound of [newer, newer, older]) {
      await handle(inbound);
      expect(await isRevoked([sessionId])).toBe(true);
    }
  });

  it('ignores other kinds', async () => {
    const { handle, deleted } = listening();
    await handle(record('user.registered', { userId: randomUUID() }));
    expect(deleted).toEqual([]);
  });

  it.each([
    ['value_missing', { ...record('user.deleted', {}), value: null }],
    ['value_unreadable', { ...record('user.deleted', {}), value: Buffer.from('no JSON') }],
    ['field_missing', record('user.deleted', { userId: 'nobody' })],
    ['field_missing', record('session.revoked', {})],
  ])('sets a record aside as %s', async (code, broken) => {
    await expect(listening().handle(broken)).rejects.toMatchObject({ code });
  });
});

async function recorded(id: string, minutes: number) {
  const list = revocations(database().pool);
  await list.record(database().pool, id, inMinutes(minutes));
  return list;
}

function listening() {
  const { pool } = database();
  const deleted: string[][] = [];
  const final: boolean[] = [];
  const told: string[] = [];
  const list = revocations(pool);
  const handler = onAuthEvents({
    revocations: list,
    usersDeleted(_tx, users) {
      const ids = users.map(({ userId }) => userId);
      deleted.push(ids);
      final.push(...users.map(({ isFinal }) => isFinal));
      return Promise.resolve(() => void told.push(...ids));
    },
  });
  const handle = async (...inbound: InboundRecord[]) => {
    const tx = await pool.connect();
    try {
      return await handler(inbound, tx);
    } finally {
      tx.release();
    }
  };
  return { handle, deleted, final, told, isRevoked: list.isRevoked };
}

const sessionRevoked = (sessionId: string, occurredAt: Date) =>
  record('session.revoked', { sessionId, occurredAt });

function record(
  type:
    | 'user.closed'
    | 'user.reopened'
    | 'user.deleted'
    | 'user.registered'
    | 'user.recovered'
    | 'session.revoked',
  data: { userId?: string; sessionId?: string; portalIds?: string[]; occurredAt?: Date },
): InboundRecord {
  const recovered = { webhookIds: [], allWebhooks: false, portalIds: [] };
  const ids = { userId: '', sessionId: '', reason: '', ...recovered };
  const message = { ...ids, occurredAt: new Date(), ...data };
  return {
    topic: AUTH_TOPIC,
    partition: 0,
    offset: 0n,
    key: 'key',
    headers: { ce_type: type },
    value: encodeDomainEvent(type, message),
    timestamp: new Date(),
  };
}

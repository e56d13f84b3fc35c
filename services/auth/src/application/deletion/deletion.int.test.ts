import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { type AuthOnPostgres, authOnPostgres, newcomer } from '../../../test/auth-on-postgres.js';
import { authSchema } from '../../../test/schema.js';
import { recordErased } from '../../adapters/postgres/deletion/deletion-receipts.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const visitor = { ip: '192.0.2.1', onLimit: () => {} };

const database = useDatabase(authSchema);
let auth: AuthOnPostgres;
beforeAll(async () => {
  auth = await authOnPostgres(database());
});

describe('the deletion of an account', () => {
  it('is done and receipted once, however often it is asked', async () => {
    const { id } = await person();
    const receipts = await Promise.all([auth.app.deleteUser(id), auth.app.deleteUser(id)]);
    expect(receipts.filter((receipt) => receipt !== undefined)).toHaveLength(1);
  });

  it('takes along the answers that are kept for repeated requests', async () => {
    const { id } = await person();
    const { pool } = database();
    await pool.query(
      `insert into idempotency_keys
         (id, user_id, hash_key, body_hash, owner, leased_until, expires_at)
       select of, of, '', '', gen_random_uuid(), now(), now() + interval '1 day'
         from unnest($1::text[]) of`,
      [[id, 'client/cli_shop']],
    );
    await auth.app.deleteUser(id);
    const { rows } = await pool.query('select user_id from idempotency_keys');
    expect(rows).toEqual([{ user_id: 'client/cli_shop' }]);
  });
});

describe('the receipt', () => {
  it('counts what each service has deleted, by its first report', async () => {
    const { id, email, password } = await person();
    await auth.app.login({ email, password, visitor });
    await auth.app.createApiKey(id, { name: 'laptop' });
    const { receiptId } = await auth.app.deleteMe(
      { userId: id, sessionId: undefined },
      { password, visitor },
    );
    expect((await auth.app.deletionReceipt(receiptId)).services).toEqual({
      auth: { sessions: 1, api_keys: 1, passkeys: 0 },
    });

    for (const webhooks of [3, 0]) await erased(id, { webhooks });
    expect((await auth.app.deletionReceipt(receiptId)).services).toEqual({
      auth: { sessions: 1, api_keys: 1, passkeys: 0 },
      'webhook-dispatcher': { webhooks: 3 },
    });
  });

  it('names nobody', async () => {
    const { id, email, password } = await person();
    await auth.app.deleteMe({ userId: id, sessionId: undefined }, { password, visitor });
    const { rows } = await database().pool.query('select * from deletion_receipts');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(id);
    expect(JSON.stringify(rows)).not.toContain(email);
  });

  it('is kept for 90 days', async () => {
    const { id, password } = await person();
    const { receiptId } = await auth.app.deleteMe(
      { userId: id, sessionId: undefined },
      { password, visitor },
    );
    const late = await authOnPostgres(database());
    late.later(89 * DAY_MS);
    await late.app.purgeReceipts();
    await expect(late.app.deletionReceipt(receiptId)).resolves.toBeDefined();
    late.later(DAY_MS);
    const gone = { kind: 'not_found' };
    await expect(late.app.deletionReceipt(receiptId)).rejects.toMatchObject(gone);
    await late.app.purgeReceipts();
    await expect(auth.app.deletionReceipt(receiptId)).rejects.toMatchObject(gone);
  });

  it('is reported to nobody when the user has none', async () => {
    await expect(erased('0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d', {})).resolves.toBeUndefined();
  });
});

async function person() {
  const someone = newcomer();
  const { id } = await auth.app.register(someone);
  return { ...someone, id };
}

const erased = async (userId: string, counts: Readonly<Record<string, number>>) =>
  inTransaction(database().pool, async (tx) =>
    recordErased(tx, { userId, service: 'webhook-dispatcher', counts, isFinal: true }),
  );

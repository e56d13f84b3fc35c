import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { CLIENT_SECRET } from './bent-provider.js';
import { useWorld } from './world.js';

const world = useWorld();

describe('after connecting, refreshing, failing and disconnecting', () => {
  it('neither the database nor the logs hold a code, a token, a verifier or a state', async () => {
    const { service, provider, database, newPerson, consent, postCode, connected } = world();
    const ada = newPerson();
    const { code, state } = await consent(ada);
    await postCode(ada, { auth_code: code, state: `${state}x` });
    const path = '/api/integrations/mailbox/connect';
    const headers = { 'idempotency-key': randomUUID() };
    const json = { auth_code: code, state };
    const kept = await service.call(ada.userId, 'POST', path, { json, headers });
    expect(kept.status).toBe(200);
    await postCode(ada, json);
    const unused = await consent(ada);
    await service.vend({ userId: ada.userId, minLifetimeS: 86_400 });

    const bob = await connected();
    provider.bend(() => '{"access_token": "cut');
    await service.vend({ userId: bob.userId, minLifetimeS: 86_400 }).catch(() => undefined);
    provider.bend((answer) => ({ ...answer, id_token: 'odd' }));
    const { code: second } = await consent(bob);
    await postCode(bob, { auth_code: second });
    provider.control.fail({ endpoint: 'revocation', calls: 100, status: 503 });
    await service.call(bob.userId, 'DELETE', '/api/integrations/mailbox');
    await service.end('SIGTERM');

    const secrets = [...provider.overheard(), code, state, unused.code, unused.state, second];
    expect(secrets.length).toBeGreaterThan(12);
    const dump = await dumpOf(database.pool);
    for (const secret of [...secrets, CLIENT_SECRET]) {
      expect(dump.includes(secret)).toBe(false);
      expect(dump.includes(Buffer.from(secret).toString('hex'))).toBe(false);
      expect(dump.includes(Buffer.from(secret).toString('base64'))).toBe(false);
      expect(service.logs().includes(secret)).toBe(false);
    }
    // The account stands in clear in its row, and nowhere else.
    expect(dump.split(ada.email)).toHaveLength(3);
    expect(service.logs()).not.toContain(ada.email);
  });
});

/** Every row of every table as text; bytes as hex. */
async function dumpOf(pool: Pool): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  expect(texts.length).toBeGreaterThan(10);
  return texts.join('\n');
}

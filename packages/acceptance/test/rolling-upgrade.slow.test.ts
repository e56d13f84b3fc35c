import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type RollingRestart, rollingUpgrade } from '../src/index.js';

const MINUTE = 60_000;
const ROOT = path.resolve(import.meta.dirname, '../../..');

let result: RollingRestart;

beforeAll(async () => {
  result = await rollingUpgrade(process.env, expandEveryTable);
}, 12 * MINUTE);

describe('an upgrade from the version before the newest change of a schema, replica by replica, under load', () => {
  it('has both versions run on one database and one Kafka, and ends each replica in good order', () => {
    expect(result.restarts).toHaveLength(6);
    for (const { replica, ended, before, after } of result.restarts) {
      expect({ replica, ended }).toEqual({ replica, ended: 'exit code 0' });
      expect(before).not.toContain(ROOT);
      expect(after).toContain(ROOT);
    }
  });

  it('fails no request and no call', () => {
    expect(result.failures).toEqual([]);
    expect(result.requests).toBeGreaterThan(200);
    expect(result.rpcs).toBeGreaterThan(20);
  });

  it('loses no event', () => {
    const { published, delivered } = result.events;
    expect(published).toBeGreaterThan(50);
    expect(delivered).toBe(published);
  });
});

/**
 * Adds a column to every table, as the next release may while this one serves. Prepared statements must go on
 * working.
 */
async function expandEveryTable(databaseUrls: readonly string[]): Promise<void> {
  for (const connectionString of databaseUrls) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query<{ table: string }>(
      `select oid::regclass::text as table from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    for (const { table } of rows) {
      await client.query(`alter table ${table} add column of_a_later_release text`);
    }
    await client.end();
  }
}

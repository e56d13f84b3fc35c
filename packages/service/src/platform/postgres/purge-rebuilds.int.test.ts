import { expect, it } from '@jest/globals';
import { eventStoreMigrations, migrate } from '@junction/eventsourcing/postgres';
import { eventually, useDatabase } from '@junction/testing';
import { Closing, logger } from '../../process/index.js';
import { startRebuildPurge } from './purge-rebuilds.js';

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

it('a rebuild that was left for a day is purged at the next start', async () => {
  const { pool } = database();
  const log = logger('test', 'silent');
  const closing = new Closing(log);
  await pool.query(`
    create table doors_v2 (door_id text primary key);
    insert into projection_checkpoints (name, version, updated_at)
    values ('doors', 2, now() - interval '25 hours')`);
  startRebuildPurge(pool, { log, closing });
  try {
    await eventually(async () => {
      const { rowCount } = await pool.query(`select from pg_tables where tablename = 'doors_v2'`);
      expect(rowCount).toBe(0);
    });
  } finally {
    await closing.closeAll();
  }
});

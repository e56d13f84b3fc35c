import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  eventStoreMigrations,
  migrate,
  RestoreUnfinishedError,
  refuseUnfinishedRestore,
} from '@junction/eventsourcing-postgres';
import { useDatabase } from '@junction/testing';
import { readableLog } from '../../test/loopback.js';
import { finishRestoreOf } from './finish-restore.js';

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

describe('finish-restore', () => {
  it('lets a service begin whose events come from another cluster, and does nothing again', async () => {
    const { pool, url } = database();
    await pool.query(
      `insert into streams (stream_id, version, published, last_tx) values ('user-1', 1, 0, '9000000000')`,
    );
    await pool.query(
      `insert into events (stream_id, version, tx, event_id, type, schema_version, data, recorded_at)
       values ('user-1', 1, '9000000000', $1, 'user.registered', 1, '{}', now())`,
      [randomUUID()],
    );
    await expect(refuseUnfinishedRestore(pool)).rejects.toThrow(RestoreUnfinishedError);

    const { log, text } = readableLog();
    await finishRestoreOf('test', url, log);
    await expect(refuseUnfinishedRestore(pool)).resolves.toBeUndefined();
    expect(text()).toContain('rebased');
    await finishRestoreOf('test', url, log);
    expect(text()).toContain('nothing to do');
  });
});

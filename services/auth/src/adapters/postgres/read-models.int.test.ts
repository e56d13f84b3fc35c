import { describe, expect, it } from '@jest/globals';
import { rebuildProjection } from '@junction/eventsourcing-postgres';
import { readModelsOn } from '@junction/platform/testing';
import { useDatabase } from '@junction/testing';
import { subjectVault } from '@junction/vault';
import { authOnPostgres, authSchema, newcomer, testRing } from '../../../test/auth-on-postgres.js';
import { service } from '../../service.js';

const database = useDatabase(authSchema);

describe('the read models', () => {
  it('become the same again from the events, also after users were erased', async () => {
    const { pool } = database();
    const { app } = await authOnPostgres(database());
    for (const isDeleted of [true, false, true, false]) {
      const person = newcomer();
      const { id } = await app.register(person);
      await app.login(person);
      await app.createApiKey(id, 'laptop');
      if (isDeleted) await app.deleteMe(id);
    }

    const vault = subjectVault({ pool, ring: testRing() });
    const models = readModelsOn(service.streams, pool, vault);
    for (const name of ['users', 'sessions', 'api_keys']) {
      const seen = [];
      for await (const one of rebuildProjection(models, name)) {
        seen.push(one);
      }
      expect(seen.at(-1)).toMatchObject({
        name,
        phase: 'done',
        eventsDone: 6,
        changes: { added: 0, changed: 0, removed: 0 },
      });
      expect((await pool.query(`select from ${name}`)).rowCount).toBe(2);
    }
  });
});

import { describe, expect, it } from '@jest/globals';
import { rebuildProjection } from '@junction/eventsourcing/postgres';
import { readModelsOn } from '@junction/service/testing';
import { useDatabase } from '@junction/testing';
import { subjectVault } from '@junction/vault';
import { authOnPostgres, newcomer, testRing } from '../../../test/auth-on-postgres.js';
import { authSchema } from '../../../test/schema.js';
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
      await app.createApiKey(id, { name: 'laptop' });
      if (isDeleted) await app.deleteUser(id);
    }

    const vault = subjectVault({ pool, ring: testRing() });
    const models = readModelsOn(service.streams, pool, vault);
    for (const name of ['users', 'sessions', 'api_keys']) {
      const rows = async () => (await pool.query(`select * from ${name} order by 1`)).rows;
      const before = await rows();
      expect(before).toHaveLength(2);
      for await (const _ of rebuildProjection(models, name)) continue;
      expect(await rows()).toEqual(before);
    }
  });
});

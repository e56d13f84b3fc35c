import { expect, it } from '@jest/globals';
import { migrate } from '@junction/eventsourcing/postgres';
import { messagingMigrations } from '@junction/messaging';
import { useDatabase } from '@junction/testing';
import { consumerChecks } from './consumer-checks.js';

const database = useDatabase({
  template: 'consumer-checks',
  migrate: (url) => migrate(url, messagingMigrations),
});

it('says which consumers are in no group once a replica has had the time to join them', async () => {
  const { pool } = database();
  await pool.query(`
    insert into consumer_offsets (consumer, topic, partition, next_offset)
    select consumer, 't', n, 0 from unnest(array['s.gone', 's.here']) consumer, generate_series(0, 13) n;
    insert into consumer_partitions (consumer, topic, partition, owner, state, seen_at)
    select consumer, topic, partition, 'o', 'running',
           now() - case consumer when 's.here' then interval '9 s' else interval '2 min' end
      from consumer_offsets`);
  const look = async (runsForMs: number) => {
    const topics = { consumed: { gone: ['t', 'new'], here: ['t'] }, produced: [] };
    const [consumers] = consumerChecks({ pool, name: 's', topics, runsForMs });
    return consumers?.look();
  };
  expect(await look(0)).toBe('No partition waits for an operator.');
  expect(await look(60_000)).toBe('No partition waits for an operator.');
  expect(await look(180_000)).toEqual([
    {
      state: 'problem',
      found:
        's.gone is not in its group: no replica has had new, and 14 of 14 partitions of t (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …) for a minute.',
      remedy: expect.stringContaining('`junction consumers list -s s`'),
    },
  ]);
});

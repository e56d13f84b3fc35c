import { beforeEach, describe, expect, it } from '@jest/globals';
import { migrate } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { apiUseMigrations, sharedUse } from './shared-use.js';

const WINDOW_MS = 10_000;
const WORTH_TELLING = 5;

const database = useDatabase({
  template: 'api-use',
  migrate: (url) => migrate(url, apiUseMigrations),
});
beforeEach(async () => void (await database().pool.query('truncate api_use')));

function replica() {
  let passedMs = 0;
  const nowMs = () => Date.now() + passedMs;
  const { pool } = database();
  const use = sharedUse({ pool, windowMs: WINDOW_MS, worthTelling: WORTH_TELLING, nowMs });
  const ask = (key: string, times: number) => {
    let last = { used: 0, resetMs: 0 };
    for (let n = 0; n < times; n++) last = use.count(key);
    return last.used;
  };
  return { ...use, ask, passes: (ms: number) => void (passedMs += ms) };
}

describe('counting the use of a caller', () => {
  it('counts over all replicas from one merge to the next', async () => {
    const [one, two] = [replica(), replica()];
    expect(one.ask('ada', 10)).toBe(10);
    expect(two.ask('ada', 7)).toBe(7);
    await one.merge();
    await two.merge();
    expect(two.ask('ada', 5)).toBe(22);
    await two.merge();
    one.ask('ada', 5);
    await one.merge();
    expect(one.ask('ada', 1)).toBe(28);
    expect(one.ask('bob', 1)).toBe(1);
  });

  it('writes no row while the use is small', async () => {
    const one = replica();
    one.ask('ada', WORTH_TELLING - 1);
    await one.merge();
    expect((await database().pool.query('select from api_use')).rowCount).toBe(0);
    expect(one.ask('ada', 1)).toBe(WORTH_TELLING);
  });

  it('starts again when the window is over', async () => {
    const one = replica();
    one.ask('ada', 10);
    await one.merge();
    one.passes(WINDOW_MS);
    expect(one.ask('ada', 1)).toBe(1);
    await database().pool.query('update api_use set ends_at = now()');
    one.ask('ada', 5);
    await one.merge();
    expect(one.ask('ada', 1)).toBe(7);
  });

  it('loses nothing in a merge that fails, nor when two replicas merge at once', async () => {
    const [one, two] = [replica(), replica()];
    await database().pool.query('alter table api_use rename to api_use_away');
    one.ask('ada', 10);
    await expect(one.merge()).rejects.toThrow('api_use');
    await database().pool.query('alter table api_use_away rename to api_use');
    for (const key of ['bob', 'ada', 'eve']) {
      one.ask(key, 10);
      two.ask(key, 10);
    }
    await Promise.all([one.merge(), two.merge()]);
    const { rows } = await database().pool.query('select key, used from api_use order by key');
    expect(rows).toEqual([
      { key: 'ada', used: 30 },
      { key: 'bob', used: 20 },
      { key: 'eve', used: 20 },
    ]);
  });
});

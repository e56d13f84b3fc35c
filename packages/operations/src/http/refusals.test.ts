import { describe, expect, it } from '@jest/globals';
import type { RefusedRequest } from '@junction/service/callers';
import { operatorRefusals } from './refusals.js';

const METHOD = 'GET /api/ops/auth/users';

describe('refused attempts', () => {
  it('are recorded at once, and their repeats together when the window ends', async () => {
    const { add, tell, recorded } = start();
    for (let n = 0; n < 500; n++) add(refusal());
    await settled();
    expect(recorded).toEqual([[refusal(), 1]]);
    await tell();
    expect(recorded).toEqual([
      [refusal(), 1],
      [refusal(), 499],
    ]);
    add(refusal());
    await tell();
    expect(recorded.slice(2)).toEqual([[refusal(), 1]]);
  });

  it('are kept apart by caller, method and reason', async () => {
    const { add, tell, recorded } = start();
    const all = [
      refusal(),
      refusal({ code: 'second_factor_needed' }),
      refusal({ method: 'GET /api/ops/auth/keys' }),
      refusal({ actor: { clientId: 'cli_1' } }),
    ];
    for (const one of all) add(one);
    await tell();
    expect(recorded).toEqual(all.map((one) => [one, 1]));
  });

  it.each(['GET', 'HEAD'])(
    'at changes are recorded however many %ss were refused before',
    async (read) => {
      const { add, tell, recorded } = start();
      for (let n = 0; n < 51; n++) add(refusal({ method: `${read} /${n}` }));
      const change = refusal({ method: 'POST /api/ops/auth/users/:id/remove-factors' });
      add(change);
      await tell();
      expect(recorded.at(-1)).toEqual([change, 1]);
    },
  );

  it('fill no storage: of a caller ten reads in a window are recorded, of all together a thousand', async () => {
    const { add, tell, recorded, logged } = start();
    for (let n = 0; n < 11; n++) add(refusal({ method: `GET /${n}` }));
    await tell();
    expect([recorded.length, logged.length]).toEqual([10, 1]);
    for (let n = 0; n < 1_100; n++) add(refusal({ actor: { userId: `user ${n}` } }));
    await tell();
    expect([recorded.length, logged.length]).toEqual([1_010, 101]);
  });

  it('that cannot be recorded are logged, and told of with the next ones', async () => {
    const { add, tell, recorded, logged, broken } = start();
    broken.on = true;
    add(refusal());
    add(refusal());
    await settled();
    expect(logged).toMatchObject([{ userId: 'ada', method: METHOD, code: 'operator_required' }]);
    broken.on = false;
    await tell();
    expect(recorded).toEqual([[refusal(), 2]]);
  });
});

const refusal = (but: Partial<RefusedRequest> = {}): RefusedRequest => ({
  actor: { userId: 'ada' },
  method: METHOD,
  code: 'operator_required',
  ...but,
});

function start() {
  const recorded: [RefusedRequest, number][] = [];
  const logged: unknown[] = [];
  const broken = { on: false };
  const record = async (refused: RefusedRequest, attempts: number) => {
    if (broken.on) throw new Error('no database');
    recorded.push([refused, attempts]);
  };
  const log = { warn: (fields: unknown) => void logged.push(fields) };
  return { ...operatorRefusals(record, log), recorded, logged, broken };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

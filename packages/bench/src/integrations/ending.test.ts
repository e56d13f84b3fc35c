import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { measureEnding } from './ending.js';
import type { Replica } from './replica.js';

describe('the count of tokens that are given after a disconnect', () => {
  it('is of those that were given after its answer, and not before', async () => {
    expect(await measureEnding([replica()], ['ada', 'bob'], 8)).toEqual({ tokens_after_delete: 0 });
    const late = replica({ leaks: true });
    expect(await measureEnding([late], ['ada', 'bob'], 8)).toEqual({ tokens_after_delete: 8 });
  });

  it('is none when calls fail for another reason', async () => {
    const failing = replica({ code: status.UNAVAILABLE });
    await expect(measureEnding([failing], ['ada'], 8)).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
  });
});

/** Makes a replica that refuses with this code after a disconnect, unless it leaks. */
function replica({ leaks = false, code = status.FAILED_PRECONDITION } = {}): Replica {
  const ended = new Set<string>();
  const stub: Pick<Replica, 'vend' | 'disconnect'> = {
    async vend(userId) {
      if (ended.has(userId) && !leaks) throw Object.assign(new Error('refused'), { code });
      return 'a token';
    },
    async disconnect(userId) {
      ended.add(userId);
    },
  };
  return stub as Replica;
}

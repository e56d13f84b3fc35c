import { describe, expect, it } from '@jest/globals';
import type { EachBatchPayload } from 'kafkajs';
import { eachBatch } from './each-batch.js';
import type { FetchedBatch } from './kafka-port.js';

describe('a batch', () => {
  it('moves no offset once another assignment has come, and learns of it', async () => {
    const { take, handed, resolved, assignAnew } = stage();
    await take();
    handed[0]?.resolve(3n);
    expect(handed[0]?.isActive()).toBe(true);
    assignAnew();
    handed[0]?.resolve(4n);
    expect(handed[0]?.isActive()).toBe(false);
    expect(resolved).toEqual(['3']);
  });

  it('is not handed on once its consumer was given up', async () => {
    const { take, handed, giveUp } = stage();
    giveUp();
    await take();
    expect(handed).toEqual([]);
  });
});

/** Sets up a consumer that is handed a batch of a partition. */
function stage() {
  const handed: FetchedBatch[] = [];
  const resolved: string[] = [];
  const ending = new AbortController();
  let assignment = 1;
  const each = eachBatch(async (batch) => void handed.push(batch), {
    heard: () => undefined,
    ending: ending.signal,
    fence() {
      const mine = assignment;
      return () => mine === assignment && !ending.signal.aborted;
    },
  });
  const batch = {
    topic: 't',
    partition: 0,
    highWatermark: '9',
    fetchedOffset: '3',
    rawMessages: [],
    messages: [],
    isEmpty: () => false,
    firstOffset: () => '3',
    lastOffset: () => '4',
    offsetLag: () => '0',
    offsetLagLow: () => '0',
  };
  const payload: EachBatchPayload = {
    batch,
    resolveOffset: (offset) => void resolved.push(offset),
    heartbeat: async () => undefined,
    pause: () => () => undefined,
    commitOffsetsIfNecessary: async () => undefined,
    uncommittedOffsets: () => ({ topics: [] }),
    isRunning: () => true,
    isStale: () => false,
  };
  return {
    handed,
    resolved,
    take: () => each(payload),
    assignAnew: () => void assignment++,
    giveUp: () => ending.abort(),
  };
}

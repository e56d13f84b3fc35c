import { describe, expect, it } from '@jest/globals';
import { type Lane, Lanes } from './lanes.js';

const LANES = 20_000;
const NEW = { webhookId: 'new', shard: 0 };

describe('the lanes of a replica, when there are as many as it keeps', () => {
  it('make room by letting go of the one that has been quiet longest, its circuit with it', () => {
    const { lanes, evicted } = full();
    expect(lanes.open(NEW)).toBeDefined();
    expect(evicted).toEqual(['w0']);
    expect(lanes.get('w0')).toBeUndefined();
  });

  it('find a quiet one behind however many that are not', () => {
    const { lanes, all, evicted } = full();
    for (const lane of all.slice(0, 250)) lane.spilledIn = 1;
    const opened = Array.from({ length: 3 }, () => lanes.open(NEW));
    expect(opened.map((lane) => lane !== undefined)).toEqual([false, false, true]);
    expect(evicted).toEqual(['w250']);
    expect(lanes.get('w0')).toBe(all[0]);
  });

  it('let go of a slow one, though some of its deliveries wait in the table', () => {
    const { lanes, all, evicted } = full();
    for (const lane of all) lane.spilledIn = 1;
    const [first] = all;
    if (first) first.pace = { ...first.pace, kind: 'slow' };
    expect(lanes.open(NEW)).toBeDefined();
    expect(evicted).toEqual(['w0']);
  });

  it('let go of an ordered one, whose deliveries are read from the table in any case', () => {
    const { lanes, all, evicted } = full();
    for (const lane of all) lane.spilledIn = 1;
    const [first] = all;
    if (first?.target) first.target = { ...first.target, ordered: true };
    expect(lanes.open(NEW)).toBeDefined();
    expect(evicted).toEqual(['w0']);
  });
});

function full() {
  const evicted: string[] = [];
  const lanes = new Lanes((webhookId) => void evicted.push(webhookId));
  const all = Array.from({ length: LANES }, (_, n) =>
    lanes.open({ webhookId: `w${n}`, shard: 0 }),
  ).filter((lane): lane is Lane => lane !== undefined);
  for (const lane of all) {
    lane.target = {
      webhookId: lane.webhookId,
      userId: 'u',
      version: 1,
      url: 'https://receiver.example',
      status: 'active',
      secrets: [],
    };
  }
  return { lanes, all, evicted };
}

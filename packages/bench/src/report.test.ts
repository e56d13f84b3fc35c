import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findSuites, UsageError } from './find-suites.js';
import { type Result, recordsIn, tableOf } from './report.js';
import { quantile, slope } from './statistics.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const run = (figures: Result['figures']): Result => ({
  suite: 'speed',
  commit: 'abc',
  node: 'v20.19.0',
  cpu: '2 × fast',
  at: '2026-01-01T00:00:00.000Z',
  figures,
});

it('the table of a run names each figure with its budget, whether it is missed, and its ratio to the accepted run', () => {
  const table = tableOf(
    run({ per_s: 25_000.4, wait_ms: 3.456, other: 7 }),
    { per_s: { atLeast: 20_000 }, wait_ms: { atMost: 3 } },
    run({ per_s: 50_000, wait_ms: 0 }),
  );
  expect(table.split('\n').slice(-3)).toEqual([
    '| per_s | 25,000 | ≥ 20,000 | 0.50 |',
    '| wait_ms | 3.46 | ≤ 3, missed |  |',
    '| other | 7 |  |  |',
  ]);
});

it('a written result is found again, and becomes the accepted run of its suite alone', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  folders.push(folder);
  const records = recordsIn(folder);
  expect(records.baseline()).toEqual({});
  records.accept({ ...run({ a: 1 }), suite: 'other' });
  records.write(run({ a: 2 }));
  records.accept(records.read('speed'));
  records.accept({ ...run({ a: 3 }), suite: 'other' });
  expect(recordsIn(folder).baseline()).toEqual({
    speed: run({ a: 2 }),
    other: { ...run({ a: 3 }), suite: 'other' },
  });
});

it('accepting a run before there is one is refused with the command to make one', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  folders.push(folder);
  expect(() => recordsIn(folder).read('speed')).toThrow('First: npm run bench -- speed');
});

describe('a quantile', () => {
  it.each([
    [0, 1],
    [0.5, 3],
    [0.99, 4],
    [1, 4],
  ])('is, for a share of %d, a value that is there', (share, value) => {
    expect(quantile([4, 1, 3, 2], share)).toBe(value);
  });

  it('is not a number without values', () => expect(quantile([], 0.5)).toBeNaN());
});

it('a slope is that of the line that lies nearest to all points', () => {
  expect(
    slope([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
  ).toBeCloseTo(2);
  expect(
    slope([
      [0, 5],
      [1, 7],
      [2, 3],
      [3, 5],
    ]),
  ).toBeCloseTo(-0.4);
});

it('an unknown suite is refused with the names of the known ones', async () => {
  const asked = findSuites(['year', 'nowhere']);
  await expect(asked).rejects.toThrow(UsageError);
  await expect(asked).rejects.toThrow(
    /No suite is called "nowhere"\. The suites are: .*eventsourcing, .*year\./,
  );
});

import { describe, expect, it } from '@jest/globals';
import { equalShareOf, shareOf } from './shares.js';

const KEYS = Array.from({ length: 48 }, (_, key) => key);

/** Returns the owner of each key. */
function owners(
  names: readonly string[],
  preferences: Record<string, readonly number[]> = {},
): readonly (string | undefined)[] {
  const members = names.map((owner) => ({ owner }));
  const prefers = ({ owner }: { owner: string }, key: number) =>
    (preferences[owner] ?? []).includes(key % 12);
  const shares = names.map((name) => [name, shareOf(name, KEYS, members, prefers)] as const);
  expect(shares.flatMap(([, share]) => share).toSorted((a, b) => a - b)).toEqual(KEYS);
  return KEYS.map((key) => shares.find(([, share]) => share.includes(key))?.[0]);
}

describe('the owner of a key', () => {
  it('is the same for everybody, in whatever order they list the members', () => {
    expect(owners(['a', 'b', 'c'])).toEqual(owners(['c', 'a', 'b']));
  });

  it('is the only member when there is one, and nobody when there is none', () => {
    expect(new Set(owners(['a']))).toEqual(new Set(['a']));
    expect(shareOf('a', KEYS, [])).toEqual([]);
  });

  it('gives every member a share', () => {
    const owned = owners(['a', 'b', 'c']);
    for (const name of ['a', 'b', 'c']) {
      expect(owned.filter((one) => one === name).length).toBeGreaterThan(KEYS.length / 8);
    }
  });

  it('moves only to the member that came', () => {
    const before = owners(['a', 'b']);
    const after = owners(['a', 'b', 'c']);
    const moved = after.filter((owner, key) => owner !== before[key]);
    expect(moved.length).toBeGreaterThan(0);
    expect(new Set(moved)).toEqual(new Set(['c']));
  });

  it('is a member that prefers it, and another one only when none does', () => {
    const owned = owners(['a', 'b', 'c'], { a: [0, 1, 2], b: [3, 4, 5, 6] });
    const ownersOf = (kind: number) => new Set(owned.filter((_, key) => key % 12 === kind));
    expect([0, 2, 3, 6].map((kind) => [...ownersOf(kind)])).toEqual([['a'], ['a'], ['b'], ['b']]);
    expect(owned.filter((_, key) => key % 12 > 6)).toContain('c');
  });

  it('is one of several members that prefer it, the same for everybody', () => {
    const both = { a: [0], b: [0] };
    expect(owners(['a', 'b', 'c'], both)).toEqual(owners(['c', 'b', 'a'], both));
    expect(['a', 'b']).toContain(owners(['a', 'b', 'c'], both)[0]);
  });
});

describe('equal shares', () => {
  const LANES = KEYS.slice(0, 16);
  const shares = (names: readonly string[]) =>
    names.map((name) =>
      equalShareOf(
        name,
        LANES,
        names.map((owner) => ({ owner })),
      ),
    );

  it.each([1, 2, 3, 5, 7, 16, 20])('hold every key once among %i members', (count) => {
    const names = Array.from({ length: count }, (_, n) => `member-${n}`);
    const all = shares(names);
    expect(all.flat().toSorted((a, b) => a - b)).toEqual(LANES);
    const sizes = all.map(({ length }) => length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    expect(shares(names.toReversed()).toReversed()).toEqual(all);
  });

  it('stay mostly where they are when a member goes', () => {
    const [, ...before] = shares(['gone', 'b', 'c']);
    const after = shares(['b', 'c']);
    const kept = before.map((share, n) => share.filter((key) => after[n]?.includes(key)));
    expect(kept.flat().length).toBeGreaterThanOrEqual(before.flat().length - 2);
  });
});

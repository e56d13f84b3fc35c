import { describe, expect, it } from '@jest/globals';
import { LANES, type LaneLease, laneShares } from './lane-shares.js';

const lanes = (holderOf: (lane: number) => string | undefined): LaneLease[] =>
  Array.from({ length: LANES }, (_, lane) => ({ lane, holder: holderOf(lane) }));

describe('the share of a relay', () => {
  it('shrinks when another one comes, and the other waits for what is given up', () => {
    const held = lanes(() => 'a');
    expect(laneShares('a', ['a', 'b'], held).surplus).toHaveLength(8);
    expect(laneShares('b', ['a', 'b'], held)).toEqual({ surplus: [], wanted: [] });
  });

  it('moves nothing when all have theirs', () => {
    const held = lanes((lane) => ['a', 'b', 'c'][lane % 3]);
    for (const me of ['a', 'b', 'c']) {
      expect(laneShares(me, ['c', 'a', 'b'], held)).toEqual({ surplus: [], wanted: [] });
    }
  });

  it.each([1, 2, 3, 5, 7, 16, 20])(
    'settles with every lane held, fairly, among %i relays',
    (count) => {
      const owners = Array.from({ length: count }, (_, index) => `relay-${index}`);
      const holders = settle(
        owners,
        new Map(lanes(() => 'relay-0').map(({ lane }) => [lane, 'relay-0'])),
      );

      const sizes = owners.map(
        (owner) => [...holders.values()].filter((holder) => holder === owner).length,
      );
      expect(holders.size).toBe(LANES);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    },
  );
});

/** Two rounds of everybody acting on what the table says. */
function settle(owners: readonly string[], holders: Map<number, string>): Map<number, string> {
  for (const me of [...owners, ...owners]) {
    const { surplus, wanted } = laneShares(
      me,
      owners,
      lanes((lane) => holders.get(lane)),
    );
    for (const lane of surplus) holders.delete(lane);
    for (const lane of wanted) holders.set(lane, me);
  }
  return holders;
}

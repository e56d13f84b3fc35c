import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Turns } from './turns.js';

const member = (name: string, usedMs = 0) => ({ name, usedMs });

describe('turns', () => {
  it('go to the first comer among those that have used equally little', () => {
    const turns = new Turns();
    const [a, b, c] = [member('a'), member('b'), member('c')];
    for (const one of [a, a, b]) turns.add(one);
    expect(turns.next()).toBe(a);
    for (const one of [c, a]) turns.add(one);
    expect([turns.next(), turns.next(), turns.next(), turns.next()]).toEqual([b, c, a, undefined]);
  });

  it('divide time, not numbers: an item that takes ten times as long comes a tenth as often', () => {
    const turns = new Turns<ReturnType<typeof member>>();
    const cost = new Map([
      ['quick', 1],
      ['slow', 10],
    ]);
    const taken: string[] = [];
    for (const name of cost.keys()) turns.add(member(name));
    for (let n = 0; n < 110; n++) {
      const next = turns.next();
      if (next === undefined) break;
      taken.push(next.name);
      next.usedMs += cost.get(next.name) ?? 0;
      turns.add(next);
    }
    expect(taken.filter((name) => name === 'slow')).toHaveLength(10);
  });

  it('give no credit for having been away', () => {
    const turns = new Turns<ReturnType<typeof member>>();
    const busy = member('busy', 1_000);
    turns.add(busy);
    turns.next();
    const newcomer = member('newcomer');
    turns.add(newcomer);
    expect(newcomer.usedMs).toBe(1_000);
  });

  it('count what is charged to a waiting item', () => {
    const turns = new Turns<ReturnType<typeof member>>();
    const [charged, other] = [member('charged'), member('other', 5)];
    turns.add(charged);
    turns.add(other);
    charged.usedMs = 10;
    expect([turns.next(), turns.next()]).toEqual([other, charged]);
  });

  it('come to each waiting item once, in the order of use, whichever items left', () => {
    const all = fc.array(fc.record({ usedMs: fc.nat(), leaves: fc.boolean() }));
    fc.assert(
      fc.property(all, (given) => {
        const turns = new Turns();
        const members = given.map((one, index) => ({ ...one, name: String(index) }));
        for (const one of members) turns.add(one);
        for (const one of members) (one.leaves ? turns : new Turns()).delete(one);
        const stayed = members.filter(({ leaves }) => !leaves);
        expect(turns.isEmpty()).toBe(stayed.length === 0);
        const order = stayed.map(() => turns.next()?.usedMs);
        expect(order).toEqual(stayed.map(({ usedMs }) => usedMs).sort((a, b) => a - b));
        expect(turns.next()).toBeUndefined();
      }),
    );
  });
});

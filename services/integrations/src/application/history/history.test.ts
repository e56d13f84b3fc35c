import { describe, expect, it } from '@jest/globals';
import { type HistoryPage, type HistoryPosition, pageOf } from './history.js';
import type { HistoryItem } from './history-item.js';

describe('the pages of a history', () => {
  it('have refreshes among the events by time, and an event first at the same moment', () => {
    const { items, next } = page(
      [event(3, 30), event(2, 20), event(1, 0)],
      [refresh(3, 25), refresh(2, 20)],
    );
    expect(namesOf(items)).toEqual(['event 3', 'refresh 3', 'event 2', 'refresh 2', 'event 1']);
    expect(next).toBeUndefined();
  });

  it('follow each other without a gap or a repetition, whatever the clocks said', () => {
    const events = [event(4, 5), event(3, 40), event(2, 10), event(1, 0)];
    const refreshes = [refresh(4, 1), refresh(3, 50), refresh(2, 20)];
    const names: string[] = [];
    let from: HistoryPosition | undefined = FIRST;
    while (from) {
      const { version, credentialVersion } = from;
      const one: HistoryPage = page(
        events.filter((each) => each.version < version),
        refreshes.filter((each) => each.credentialVersion < credentialVersion),
        { from, limit: 2 },
      );
      names.push(...namesOf(one.items));
      from = one.next;
    }
    expect(names.toSorted()).toEqual(
      [...events, ...refreshes].map(({ item }) => item.detail).toSorted(),
    );
  });

  it('say that there is another one only when there is', () => {
    expect(page([event(1, 0)], [], { from: FIRST, limit: 1 }).next).toBeUndefined();
    const next = { version: 1, credentialVersion: 100 };
    expect(page([event(1, 1)], [refresh(2, 0)], { from: FIRST, limit: 1 }).next).toEqual(next);
  });
});

const FIRST: HistoryPosition = { version: 100, credentialVersion: 100 };

function page(
  events: readonly ReturnType<typeof event>[],
  refreshes: readonly ReturnType<typeof refresh>[],
  { from, limit } = { from: FIRST, limit: 10 },
): HistoryPage {
  return pageOf(events, refreshes, { from, limit });
}

const namesOf = (items: readonly HistoryItem[]) => items.map(({ detail }) => detail);

function event(version: number, atS: number) {
  return { version, item: item('integration.degraded', `event ${version}`, atS) };
}

function refresh(credentialVersion: number, atS: number) {
  return {
    credentialVersion,
    item: item('integration.refreshed', `refresh ${credentialVersion}`, atS),
  };
}

function item(type: HistoryItem['type'], detail: string, atS: number): HistoryItem {
  return { type, detail, actor: 'system', at: new Date(atS * 1_000).toISOString() };
}

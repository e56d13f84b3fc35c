import { expect, it } from '@jest/globals';
import { personalIn } from '@junction/eventsourcing';
import { goldenEvents } from '@junction/eventsourcing/testing';
import { connectionEvents } from '../../domain/connection/events.js';
import { openEvents } from './event-codec.js';

goldenEvents(openEvents, new URL('../../../golden/', import.meta.url));

it('seals the account in each event, however it is named', () => {
  const { 'integration.connected': connected, ...later } = personalIn(connectionEvents);
  expect(connected).toEqual(['account', 'accountId']);
  expect(new Set(Object.values(later).flat())).toEqual(new Set(['account']));
  expect(Object.values(later).every((fields) => fields.length === 1)).toBe(true);
});

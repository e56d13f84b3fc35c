import { expect, it } from '@jest/globals';
import { personalIn } from '@junction/eventsourcing';
import { goldenEvents } from '@junction/eventsourcing/testing';
import { authEvents } from '../../domain/auth-event.js';
import { openEvents } from './event-codec.js';

goldenEvents(openEvents, new URL('../../../golden/', import.meta.url));

it('seals the personal fields of events', () => {
  const sealed = Object.entries(personalIn(authEvents)).filter(([, fields]) => fields.length > 0);
  expect(Object.fromEntries(sealed)).toEqual({
    'api_key.created': ['name'],
    'user.email_changed': ['email'],
    'user.registered': ['email'],
  });
});

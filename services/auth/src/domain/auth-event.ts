import type { EventsOf } from '@junction/eventsourcing';
import { apiKeyEvents } from './api-key/events.js';
import { clientEvents } from './client/events.js';
import { sessionEvents } from './session/events.js';
import { signingKeyEvents } from './signing-key/events.js';
import { userEvents } from './user/events.js';

/** Everything this service ever records. */
export const authEvents = {
  ...userEvents,
  ...sessionEvents,
  ...apiKeyEvents,
  ...clientEvents,
  ...signingKeyEvents,
};

export type AuthEvent = EventsOf<typeof authEvents>;

import type { Page } from '../page.js';
import type { Ports } from '../ports.js';
import type { EventSummary, SeenEventFilter } from './ports.js';

type EventPorts = Pick<Ports, 'events'>;

/** Returns the events of the user that came within seven days. */
export const listEvents =
  ({ events }: EventPorts) =>
  async (userId: string, filter: SeenEventFilter): Promise<Page<EventSummary>> =>
    events.page(userId, filter);

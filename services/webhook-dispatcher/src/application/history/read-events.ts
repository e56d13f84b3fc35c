import { AppError } from '@junction/errors';
import type { Page } from '../page.js';
import type { Ports } from '../ports.js';
import type { EventDetail, EventSummary, SeenEventFilter } from './ports.js';

type EventPorts = Pick<Ports, 'events'>;

/** Returns the events of the user that came within seven days. */
export const listEvents =
  ({ events }: EventPorts) =>
  async (userId: string, filter: SeenEventFilter): Promise<Page<EventSummary>> =>
    events.page(userId, filter);

/** Returns an event with its deliveries. @throws AppError `event_not_found` */
export const readEvent =
  ({ events }: EventPorts) =>
  async (userId: string, messageId: string): Promise<EventDetail> => {
    const event = await events.detail(userId, messageId);
    if (event) return event;
    throw new AppError(
      'event_not_found',
      'There is no such event, or it came more than seven days ago.',
    );
  };

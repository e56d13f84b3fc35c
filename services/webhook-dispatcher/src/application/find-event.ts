import { AppError } from '@junction/errors';
import type { Ports } from './ports.js';

/** Finds an event of the user with its deliveries. @throws AppError `event_not_found` */
export const findEvent =
  ({ events }: Pick<Ports, 'events'>) =>
  async (userId: string, messageId: string) => {
    const event = await events.detail(userId, messageId);
    if (event) return event;
    throw new AppError(
      'event_not_found',
      'There is no such event, or it came more than seven days ago.',
    );
  };

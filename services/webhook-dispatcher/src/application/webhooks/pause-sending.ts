import type { Ports } from '../ports.js';
import type { Paused } from './ports.js';

/**
 * Lets everything wait that goes to a host or to a user, or has it go on: no attempt is made meanwhile, and none is
 * counted. Returns the number of webhooks that it is about.
 */
export const pauseSending =
  ({ pauses, webhookChanged }: Pick<Ports, 'pauses' | 'webhookChanged'>) =>
  async (what: Paused, isPaused: boolean): Promise<number> => {
    const webhooks = await (isPaused ? pauses.pause(what) : pauses.resume(what));
    for (const webhook of webhooks) webhookChanged(webhook);
    return webhooks.length;
  };

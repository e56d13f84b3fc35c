import type { Event } from '../decider.js';
import { jsonCodec, schema } from '../event-codec.js';

/** The event of tests that ask where events stand, and not what they say. */
export type Counted = Event<'counted', { n: number }>;

export const counted = (n: number): Counted => ({ type: 'counted', data: { n } });

/** How it is stored: a number, and perhaps some padding. */
export const countedCodec = jsonCodec<Counted>({
  counted: schema((data) => {
    if (typeof (data as Partial<Counted['data']>).n === 'number') return data as Counted['data'];
    throw new TypeError('n is no number');
  }),
});

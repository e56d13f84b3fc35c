import type { Event } from '../decider.js';
import { jsonCodec, schema } from '../event-codec.js';

/** Event of tests that check the order of events, not their content. */
export type Counted = Event<'counted', { n: number }>;

export const counted = (n: number): Counted => ({ type: 'counted', data: { n } });

/** Codec of that event: a number, and perhaps some padding. */
export const countedCodec = jsonCodec<Counted>({
  counted: schema((data) => {
    if (typeof (data as Partial<Counted['data']>).n === 'number') return data as Counted['data'];
    throw new TypeError('n is no number');
  }),
});

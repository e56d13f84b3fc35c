import { groupBy } from './group-by.js';
import type { History, Violation } from './history.js';

/** A reader of everything meets the events of each stream as 1, 2, 3 … */
export function* checkStreams({ stored }: Pick<History, 'stored'>): Iterable<Violation> {
  for (const [streamId, events] of groupBy(stored, (event) => event.streamId)) {
    const broken = events.findIndex(({ version }, index) => version !== index + 1);
    if (broken === -1) continue;
    const around = events.slice(Math.max(0, broken - 2), broken + 3);
    yield {
      promise: 'a stream has no gap, and is read in the order of its versions',
      found:
        `${streamId} has ${events.length} events; in reading order version ${broken + 1} is missing: ` +
        `… ${around.map(({ version, request }) => `${version} (${request})`).join(', ')} …`,
    };
  }
}

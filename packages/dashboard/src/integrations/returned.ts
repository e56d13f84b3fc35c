import { isBegunHere } from './begun-states.js';
import { isCallback, type Returned, readReturn } from './callback.js';

export interface ReturnedHere extends Returned {
  /** True when this tab sent out the state that came back. */
  readonly begunHere: boolean;
}

/**
 * Answer of a provider that came with this load of the page. The module removes it from the page's address, and so
 * from the browser's history, before anything else runs. It is kept in memory alone, so a reload loses it.
 */
export const returned: ReturnedHere | undefined = take();

function take(): ReturnedHere | undefined {
  const { location, history } = window;
  const found = readReturn(location);
  if (isCallback(location.pathname)) history.replaceState(null, '', location.pathname);
  if (found === undefined) return undefined;
  const { client, answer } = found;
  const begunHere = answer.state !== undefined && isBegunHere(sessionStorage, client, answer.state);
  return { ...found, begunHere };
}

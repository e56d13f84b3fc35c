import { isBegunHere } from './begun-states.js';
import { isCallback, type Returned, readReturn } from './callback.js';

export interface ReturnedHere extends Returned {
  /** By this tab: the state that came back is one that it sent out. */
  readonly begunHere: boolean;
}

/**
 * What a provider sent back with this load of the page. It is taken out of the address, and so out of the
 * history of the browser, before anything else runs; it is kept in memory alone, and gone with a reload.
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

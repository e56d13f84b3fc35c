import type { Client } from '../api/types.js';
import { type Returned, withAnswer } from './callback.js';
import { returnToOf } from './integration-queries.js';

const asked = new WeakMap<Returned, Promise<boolean>>();

/**
 * Leaves with the answer for the address that was named when its authorization was begun. False: none was,
 * or it cannot be learned, and the answer stays here. Asks once, however often it is rendered.
 */
export function forward(returned: Returned): Promise<boolean> {
  const known = asked.get(returned);
  if (known) return known;
  const leaving = leave(returned);
  asked.set(returned, leaving);
  return leaving;
}

async function leave({ client, answer }: Returned): Promise<boolean> {
  const returnTo = answer.state === undefined ? null : await addressOf(client, answer.state);
  if (returnTo === null) return false;
  const url = withAnswer(returnTo, answer);
  // A javascript: address would be run.
  if (!/^https?:$/.test(url.protocol)) return false;
  window.location.replace(url.href);
  return true;
}

/** Who cannot be forwarded can still take the values along. */
const addressOf = (client: Client, state: string): Promise<string | null> =>
  returnToOf(client, state).catch(() => null);

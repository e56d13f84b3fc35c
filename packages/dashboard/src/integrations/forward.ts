import type { Client } from '../api/types.js';
import { type Returned, withAnswer } from './callback.js';
import { returnToOf } from './integration-queries.js';

const asked = new WeakMap<Returned, Promise<boolean>>();

/**
 * Forwards the answer to the address that was named when its authorization was begun. Returns false when none was
 * named or the address cannot be learned: the answer then stays here. Runs once, however often the page is rendered.
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

/**
 * Returns the address to forward the answer to. An error counts as none, because the page then shows the values to
 * take along.
 */
const addressOf = (client: Client, state: string): Promise<string | null> =>
  returnToOf(client, state).catch(() => null);

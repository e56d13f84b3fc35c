import type { Client } from '../api/types.js';

/**
 * Number of remembered states, enough for going back and starting again. The service keeps states for ten minutes.
 */
const STATES_MAX = 10;

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = ({ identityProvider, provider }: Client) =>
  `junction-begun-${identityProvider}-${provider}`;

/**
 * The authorizations that were begun in this tab. Comparing the state that comes back with them is what
 * keeps a stranger from slipping in an answer that somebody else began (RFC 6749, section 10.12).
 */
export function rememberBegun(kept: Kept, client: Client, state: string): void {
  const states = [...begun(kept, client), state].slice(-STATES_MAX);
  kept.setItem(keyOf(client), JSON.stringify(states));
}

export const isBegunHere = (kept: Kept, client: Client, state: string): boolean =>
  begun(kept, client).includes(state);

/** Forgets the states: once one of them has come back, no other is expected. */
export const forgetBegun = (kept: Kept, client: Client): void => kept.removeItem(keyOf(client));

function begun(kept: Kept, client: Client): readonly string[] {
  try {
    const states: unknown = JSON.parse(kept.getItem(keyOf(client)) ?? '[]');
    return Array.isArray(states) ? states.filter((state) => typeof state === 'string') : [];
  } catch {
    return [];
  }
}

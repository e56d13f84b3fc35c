import type { Provider } from '../api/types.js';

/** As many as the service keeps for a user and provider, so that going back and starting again works. */
const STATES_MAX = 10;

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (provider: Provider) => `junction-begun-${provider}`;

/**
 * The authorizations that were begun in this tab. Comparing the state that comes back with them is what
 * keeps a stranger from slipping in an answer that somebody else began (RFC 6749, section 10.12).
 */
export function rememberBegun(kept: Kept, provider: Provider, state: string): void {
  const states = [...begun(kept, provider), state].slice(-STATES_MAX);
  kept.setItem(keyOf(provider), JSON.stringify(states));
}

export const isBegunHere = (kept: Kept, provider: Provider, state: string): boolean =>
  begun(kept, provider).includes(state);

/** Once one has come back there is nothing to wait for. */
export const forgetBegun = (kept: Kept, provider: Provider): void =>
  kept.removeItem(keyOf(provider));

function begun(kept: Kept, provider: Provider): readonly string[] {
  try {
    const states: unknown = JSON.parse(kept.getItem(keyOf(provider)) ?? '[]');
    return Array.isArray(states) ? states.filter((state) => typeof state === 'string') : [];
  } catch {
    return [];
  }
}

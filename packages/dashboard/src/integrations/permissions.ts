import type { Integration } from '../api/types.js';
import type { KindWords, ScopeWords } from './kinds.js';

/** `asked`: connecting will ask for it. `absent`: this installation does not use it. */
export type PermissionState = 'granted' | 'refused' | 'asked' | 'absent';

export interface Permission extends ScopeWords {
  readonly state: PermissionState;
}

/** Scopes that were granted to an account, and whether the account is still connected. */
export type Grant = Pick<Integration, 'connected' | 'granted_scopes' | 'missing_scopes'>;

/** Grant of an account that is not connected yet. */
export const NOTHING_GRANTED: Grant = { connected: false, granted_scopes: [], missing_scopes: [] };

/** Returns each permission with its state. A scope that this page does not know is shown by its own name. */
export function permissionsOf(
  { scopes }: Pick<KindWords, 'scopes'>,
  { connected, granted_scopes: granted, missing_scopes: missing }: Grant,
): readonly Permission[] {
  const known = scopes.map(({ scope }) => scope);
  const unknown = [...granted, ...missing].filter((scope) => !known.includes(scope));
  const unnamed = (scope: string) => ({ scope, allows: scope, without: `${scope} is not used.` });
  const all = [...scopes, ...unknown.map(unnamed)];
  const stateOf = (scope: string): PermissionState => {
    if (!connected) return 'asked';
    if (granted.includes(scope)) return 'granted';
    return missing.includes(scope) ? 'refused' : 'absent';
  };
  return all.map((words) => ({ ...words, state: stateOf(words.scope) }));
}

/** Sums up the permissions in a few words. */
export function permissionsInShort(permissions: readonly Permission[]): string {
  const countOf = (wanted: PermissionState) =>
    permissions.filter(({ state }) => state === wanted).length;
  const [granted, refused, asked] = [countOf('granted'), countOf('refused'), countOf('asked')];
  if (asked > 0) return `${asked} will be asked for`;
  return refused > 0 ? `${granted} of ${granted + refused} granted` : `All ${granted} granted`;
}

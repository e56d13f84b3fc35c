import type { Integration } from '../api/types.js';
import type { ProviderWords, ScopeWords } from './providers.js';

/** `asked`: connecting will ask for it. `absent`: this installation does not use it. */
export type PermissionState = 'granted' | 'refused' | 'asked' | 'absent';

export interface Permission extends ScopeWords {
  readonly state: PermissionState;
}

/** Each permission and what became of it. One that this page does not know yet goes by its own name. */
export function permissionsOf(
  { scopes }: Pick<ProviderWords, 'scopes'>,
  { connected, granted_scopes: granted = [], missing_scopes: missing = [] }: Integration,
): readonly Permission[] {
  const known = scopes.map(({ scope }) => scope);
  const unknown = [...granted, ...missing].filter((scope) => !known.includes(scope));
  const all = [...scopes, ...unknown.map((scope) => ({ scope, allows: scope }))];
  const stateOf = (scope: string): PermissionState => {
    if (!connected) return 'asked';
    if (granted.includes(scope)) return 'granted';
    return missing.includes(scope) ? 'refused' : 'absent';
  };
  return all.map((words) => ({ ...words, state: stateOf(words.scope) }));
}

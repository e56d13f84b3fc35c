import { type ClientName, clientNamed } from '../domain/connection/events.js';

/** Labels of metrics that are counted by client. */
export const CLIENT_LABELS = ['identity_provider', 'provider'] as const;

export function clientLabels(name: ClientName) {
  const { identityProvider, provider } = clientNamed(name);
  return { identity_provider: identityProvider, provider };
}

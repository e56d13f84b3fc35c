import { clientCredentials, tokenRefusal } from '@junction/client-credentials';
import { Failure } from './failure.js';
import { reasonOf } from './ops-failure.js';
import type { Settings } from './settings.js';

export interface TokenRequest {
  readonly audience: string;
  /** Scope that the command needs, and no more. */
  readonly scope: string;
}

/**
 * Returns a function that gives the service account's token, the same one while it is valid.
 * @throws Failure from that function
 */
export function tokenSource(settings: Settings, request: TokenRequest): () => Promise<string> {
  const { tokenUrl, clientId, credential } = settings;
  const token = clientCredentials({
    tokenUrl,
    clientId,
    credential,
    ...request,
  });
  return async () =>
    token().catch((cause: unknown) => {
      throw new Failure(messageOf(settings, request.scope, cause), undefined, { cause });
    });
}

function messageOf({ clientId, tokenUrl }: Settings, scope: string, error: unknown): string {
  const { error: code = '', description: why = code } = tokenRefusal(error) ?? {};
  if (code === 'invalid_client') {
    return `auth does not know the service account ${clientId}, or its secret is another one.`;
  }
  if (code === 'invalid_scope' || code === 'invalid_target') {
    return `The service account ${clientId} may not do this: it lacks ${scope}. ${why}`;
  }
  return code === ''
    ? `auth gave no token at ${tokenUrl}. Is it running?${reasonOf(error)}`
    : `${tokenUrl} gave no token. ${why}`;
}

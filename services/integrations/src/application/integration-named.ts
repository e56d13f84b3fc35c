import { AppError } from '@junction/errors';
import type { Provider } from '../domain/connection/events.js';
import type { ConnectionRecord } from './connections/ports.js';
import { kindNamed } from './provider-of.js';
import type { Transaction } from './unit-of-work.js';

type Reads = Pick<Transaction['connections'], 'get' | 'ofKind'>;

/** Integration that a path names by its id, or as the primary integration of a kind if there is one. */
export interface NamedIntegration {
  readonly provider: Provider;
  readonly connection: ConnectionRecord | undefined;
}

/**
 * Finds the integration that a path names. AppError `unknown_provider`; `integration_not_found`, also for an
 * integration of another user.
 */
export async function integrationNamed(
  reads: Reads,
  userId: string,
  named: string,
): Promise<NamedIntegration> {
  if (isIntegrationId(named)) {
    const connection = await ownIntegration(reads, userId, named);
    return { provider: connection.provider, connection };
  }
  const provider = kindNamed(named);
  const [connection] = await reads.ofKind(userId, provider);
  return { provider, connection };
}

export const isIntegrationId = (named: string): boolean => named.startsWith('con_');

/** Returns the user's own integration. AppError `integration_not_found`, also for an integration of another user. */
export async function ownIntegration(
  { get }: Pick<Reads, 'get'>,
  userId: string,
  integrationId: string,
): Promise<ConnectionRecord> {
  const connection = await get(integrationId);
  if (connection?.userId === userId) return connection;
  throw integrationNotFound();
}

export const integrationNotFound = (): AppError =>
  new AppError('integration_not_found', 'There is no such integration.');

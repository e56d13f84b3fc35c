import { AppError, isOutage } from '@junction/errors';
import { isProvider } from '../../domain/connection/events.js';
import type { Log } from '../ports.js';
import type { CurrentConnection } from './ports.js';

/** Call of a service about a user's tokens. */
export interface TokenCall {
  /** Calling service, by the client that its token names. */
  readonly clientId: string;
  readonly userId: string;
  readonly provider: string;
  /** Id of the integration; undefined: the primary account of the provider. */
  readonly integrationId: string | undefined;
}

/** Called with the connection that a call is about, as soon as the connection is known. */
export type OnConnection = (
  connection: Pick<CurrentConnection, 'connectionId' | 'credentialVersion'>,
) => void;

interface Messages {
  readonly done: string;
  readonly refused: string;
}

/**
 * Writes one line about a call that hands out or reports a user's token, whether the call succeeds or not: the caller,
 * the connection and version, and `ok` or the code of the refusal. Never a token.
 */
export async function audited<T>(
  log: Pick<Log, 'info'>,
  { clientId, userId, provider }: TokenCall,
  { done, refused }: Messages,
  work: (onConnection: OnConnection) => Promise<T>,
): Promise<T> {
  const fields: Record<string, unknown> = { client_id: clientId, user_id: userId };
  // A name that is not ours could be any text that the caller sent, so it is not logged.
  if (isProvider(provider)) fields['provider'] = provider;
  try {
    const result = await work(({ connectionId, credentialVersion }) => {
      fields['connection_id'] = connectionId;
      fields['credential_version'] = credentialVersion;
    });
    log.info({ ...fields, code: 'ok' }, done);
    return result;
  } catch (error) {
    log.info({ ...fields, code: codeOf(error) }, refused);
    throw error;
  }
}

/** Returns the code that the caller gets. */
const codeOf = (error: unknown): string =>
  isOutage(error) && !(error instanceof AppError)
    ? 'service_unavailable'
    : AppError.from(error).code;

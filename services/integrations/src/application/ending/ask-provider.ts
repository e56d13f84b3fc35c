import { AppError } from '@junction/errors';
import { clientName } from '../../domain/connection/events.js';
import type { Ports } from '../ports.js';
import type { Refresher } from '../refreshing/ports.js';
import type { AskProvider } from './ports.js';
import { recordInactive } from './record-revocation.js';

/**
 * Asks about a connection, and ends it when it no longer stands. A refresh is the proof. One replica at a time
 * refreshes, so a token that was just replaced is not taken for a revoked token, and an odd answer of the provider does
 * not end all its connections. Without introspection a refresh is the only way to ask, used when the connection is
 * suspected.
 */
export const askProvider =
  (
    ports: Pick<Ports, 'providers' | 'unitOfWork' | 'log' | 'now'>,
    refresher: Pick<Refresher, 'renew'>,
  ): AskProvider =>
  async (connection, token) => {
    const answer = await ports.providers.get(clientName(connection))?.introspect(token);
    if (answer === undefined || answer === 'active') return;
    if (answer === 'unsupported' && !connection.suspected) return;

    await refresher.renew(connection).catch((error: unknown) => {
      // A connection without a refresh token cannot be refreshed: the answer of the provider stands alone.
      if (!(error instanceof AppError) || error.code !== 'token_not_renewable') throw error;
    });
    if (answer === 'inactive') await recordInactive(ports, connection);
  };

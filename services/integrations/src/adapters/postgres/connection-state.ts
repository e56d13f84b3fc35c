import { plainState } from '@junction/eventsourcing';
import { z } from 'zod';
import type { Connection } from '../../domain/connection/decider.js';
import { PROVIDERS } from '../../domain/connection/events.js';

const connection = z.union([
  z.object({ status: z.literal('not_connected'), credentialVersion: z.literal(0) }),
  z.object({
    status: z.enum([
      'active',
      'degraded',
      'reconnect_required',
      'revoked',
      'disconnected',
      'forgotten',
    ]),
    userId: z.uuid(),
    provider: z.enum(PROVIDERS),
    credentialVersion: z.int().positive(),
  }),
]);

/** States of connections in snapshots. There is nothing personal in them: which account it is, is not. */
export const connectionState = plainState<Connection>(1, connection.parse);

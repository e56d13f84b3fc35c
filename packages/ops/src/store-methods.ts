import type { OpsServiceServer, VerifyStreamsResponse } from '@junction/contracts';
import { verifyStreams } from '@junction/eventsourcing-postgres';
import { type Send, serverStream } from '@junction/service-kit/grpc';
import type pg from 'pg';
import type { Methods } from './methods.js';

/**
 * Implements the methods that check the event store. `maintenance`: a pool whose statement timeouts let every event be
 * read.
 */
export const storeMethods = (
  { journal, log }: Methods,
  maintenance: pg.Pool,
): Pick<OpsServiceServer, 'verifyStreams'> => ({
  verifyStreams: serverStream(log, async (_, send: Send<VerifyStreamsResponse>, { caller }) => {
    await journal.read(caller, 'VerifyStreams', {});
    await send({ verdict: undefined });
    const { problems, ...counts } = await verifyStreams(maintenance);
    await send({ verdict: { ...counts, problems: [...problems] } });
  }),
});

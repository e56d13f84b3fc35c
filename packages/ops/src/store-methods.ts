import type { OpsServiceServer, VerifyStreamsResponse } from '@junction/contracts';
import {
  type ArchiveOptions,
  archivePartition,
  attachPartition,
  listPartitions,
  verifyStreams,
} from '@junction/eventsourcing-postgres';
import { parse, type Send, serverStream, unary } from '@junction/service-kit';
import type pg from 'pg';
import type { Methods } from './methods.js';
import { OPS } from './operation.js';
import { partitionRequest } from './requests.js';

type StoreMethods = Pick<
  OpsServiceServer,
  'verifyStreams' | 'listPartitions' | 'archivePartition' | 'attachPartition'
>;

export interface StoreCare {
  /** With statement timeouts that let every event be read. */
  readonly maintenance: pg.Pool;
  /** What stands in the way of an archive in this service. */
  readonly archive: ArchiveOptions;
}

/**
 * What archiving asks of this service's streams and readers. Operations are read and never loaded to
 * decide, so one that a kill left unfinished stands in nobody's way.
 */
export const archiveOptions = ({
  closing,
  shapes = {},
  projections: { asynchronous },
}: ArchiveParts): ArchiveOptions => ({
  closing,
  neverLoaded: [OPS],
  shapes,
  asynchronous: asynchronous.map(({ table }) => table),
});

interface ArchiveParts {
  readonly closing: readonly string[];
  readonly shapes?: Readonly<Record<string, number>>;
  readonly projections: { readonly asynchronous: readonly { readonly table: string }[] };
}

/** Looking after the event store. */
export const storeMethods = (
  { pool, journal, log }: Methods,
  { maintenance, archive }: StoreCare,
): StoreMethods => ({
  verifyStreams: serverStream(log, async (_, send: Send<VerifyStreamsResponse>, { caller }) => {
    await journal.read(caller, 'VerifyStreams', {});
    await send({ verdict: undefined });
    const { problems, ...counts } = await verifyStreams(maintenance);
    await send({ verdict: { ...counts, problems: [...problems] } });
  }),

  listPartitions: unary(log, async (_, { caller }) => {
    await journal.read(caller, 'ListPartitions', {});
    const partitions = await listPartitions(pool);
    return { partitions: partitions.map(({ n: number, ...rest }) => ({ number, ...rest })) };
  }),

  archivePartition: unary(log, async (request, { caller }) => {
    const { number } = parse(partitionRequest, request);
    return journal.change(caller, 'ArchivePartition', { number }, async () => {
      await archivePartition(maintenance, number, archive);
      return { answer: { table: `archived_events.events_p${number}` }, result: {} };
    });
  }),

  attachPartition: unary(log, async (request, { caller }) => {
    const { number } = parse(partitionRequest, request);
    return journal.change(caller, 'AttachPartition', { number }, async () => {
      await attachPartition(maintenance, number);
      return { answer: {}, result: {} };
    });
  }),
});

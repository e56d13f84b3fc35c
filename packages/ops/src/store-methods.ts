import type { OpsServiceServer, VerifyStreamsResponse } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { splitStreamId } from '@junction/eventsourcing';
import {
  type ArchiveOptions,
  archivePartition,
  attachPartition,
  listPartitions,
  type PostgresSnapshots,
  takeSnapshots,
  verifyStreams,
} from '@junction/eventsourcing-postgres';
import { type Send, serverStream, unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import type pg from 'pg';
import type { Methods } from './methods.js';
import { OPS } from './operation.js';
import { partitionRequest } from './requests.js';
import { tell } from './tell.js';

type StoreMethods = Pick<
  OpsServiceServer,
  'verifyStreams' | 'listPartitions' | 'takeSnapshots' | 'archivePartition' | 'attachPartition'
>;

export interface StoreCare {
  /** The service's. */
  readonly name: string;
  /** With statement timeouts that let every event be read. */
  readonly maintenance: pg.Pool;
  /** What stands in the way of an archive in this service. */
  readonly archive: ArchiveOptions;
  /** Absent for a service that takes none. */
  readonly snapshots?: SnapshotsByAggregate | undefined;
}

/** What takes the snapshots of each aggregate that has them. */
export type SnapshotsByAggregate = Readonly<
  Record<string, Pick<PostgresSnapshots<unknown>, 'shape' | 'take'>>
>;

/**
 * What archiving asks of this service's streams and readers. Operations are read and never loaded to
 * decide, so one that a kill left unfinished stands in nobody's way.
 */
export const archiveOptions = ({
  closing,
  snapshots = {},
  projections,
}: ArchiveParts): ArchiveOptions => ({
  closing,
  neverLoaded: [OPS],
  shapes: Object.fromEntries(Object.entries(snapshots).map(([name, { shape }]) => [name, shape])),
  projections,
});

interface ArchiveParts extends Pick<ArchiveOptions, 'closing' | 'projections'> {
  readonly snapshots?: SnapshotsByAggregate;
}

/** Looking after the event store. */
export const storeMethods = (
  { pool, journal, log }: Methods,
  { name, maintenance, archive, snapshots = {} }: StoreCare,
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

  takeSnapshots: serverStream(log, async (request, send, { caller, signal }) => {
    const { number } = parse(partitionRequest, request);
    if (Object.keys(snapshots).length === 0) throw takesNone(name);
    const take = async (streamId: string) =>
      (await snapshots[splitStreamId(streamId).aggregate]?.take(streamId)) ?? false;
    const onError = (err: unknown, stream_id: string) =>
      log.warn({ err, stream_id }, 'a snapshot was not taken');
    await journal.change(caller, 'TakeSnapshots', { number }, async () => {
      const options = { archive, take, onError, signal };
      const work = takeSnapshots(maintenance, number, options);
      const last = await tell(work, { signal, what: 'the snapshots', send });
      const { streamsDone = 0, streamsLeft = 0 } = last ?? {};
      return { answer: undefined, result: { streamsDone, streamsLeft } };
    });
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

const takesNone = (name: string) =>
  new AppError(
    'unprocessable',
    'takes_no_snapshots',
    `${name} takes no snapshots: what stands in the way of an archive are streams that are not closed.`,
  );

import type { Event } from '@junction/eventsourcing';
import {
  listProjections,
  type ProjectionSet,
  type ProjectionState,
} from '@junction/eventsourcing-postgres';
import type { Operations } from '@junction/messaging';
import { parse } from '@junction/service-kit/http';
import type { Health, Readiness } from '@junction/service-kit/process';
import { type Access, type AccessPage, listAccesses } from './accesses.js';
import type { Reader } from './journal.js';
import type { Methods } from './methods.js';
import { accessesRequest, deadLettersRequest } from './requests.js';

export type { Access, AccessPage };

interface Readable<E extends Event> {
  readonly projections: ProjectionSet<E>;
  readonly health: Pick<Health, 'ready'>;
}

/** What operators read by gRPC and by HTTP alike. Each read is recorded before it is answered. */
export type Reads = ReturnType<typeof opsReads>;

export const opsReads = <E extends Event>(
  { journal, pool }: Methods,
  { projections, health }: Readable<E>,
  operations: () => Operations,
) => ({
  async projections(reader: Reader): Promise<readonly ProjectionState[]> {
    await journal.read(reader, 'ListProjections', {});
    return listProjections(projections);
  },

  async health(reader: Reader): Promise<Readiness> {
    await journal.read(reader, 'GetHealth', {});
    return health.ready();
  },

  async consumers(reader: Reader) {
    await journal.read(reader, 'ListConsumers', {});
    return operations().consumers();
  },

  async deadLetters(reader: Reader, request: unknown) {
    const { filter, ...page } = parse(deadLettersRequest, request);
    const { state, limit } = page;
    await journal.read(reader, 'ListDeadLetters', { ...filter, state, limit });
    return operations().list(filter, page);
  },

  async accesses(reader: Reader, request: unknown): Promise<AccessPage> {
    const wanted = parse(accessesRequest, request);
    const { actor = '', since, limit } = wanted;
    const asked = { actor, since: since?.toISOString() ?? '', limit };
    await journal.read(reader, 'ListAccesses', asked);
    return listAccesses(pool, wanted);
  },
});

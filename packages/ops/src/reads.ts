import type { Event } from '@junction/eventsourcing';
import {
  listProjections,
  type ProjectionSet,
  type ProjectionState,
} from '@junction/eventsourcing-postgres';
import type { Operations } from '@junction/messaging';
import { parse } from '@junction/service-kit/http';
import type { Health, Readiness } from '@junction/service-kit/process';
import { listKeys, type Rotation } from '@junction/vault';
import { type Access, type AccessPage, listAccesses } from './accesses.js';
import type { Actor } from './journal.js';
import type { Methods } from './methods.js';
import { accessesRequest, deadLettersRequest } from './requests.js';

export type { Access, AccessPage };

interface Readable<E extends Event> {
  readonly projections: ProjectionSet<E>;
  readonly health: Pick<Health, 'ready'>;
  readonly rotation: Rotation;
}

/** Reads that operators make by gRPC and by HTTP. Each read is recorded before it is answered. */
export type Reads = ReturnType<typeof opsReads>;

export const opsReads = <E extends Event>(
  { journal, pool }: Methods,
  { projections, health, rotation }: Readable<E>,
  operations: () => Operations,
) => ({
  async projections(actor: Actor): Promise<readonly ProjectionState[]> {
    await journal.read(actor, 'ListProjections', {});
    return listProjections(projections);
  },

  async health(actor: Actor): Promise<Readiness> {
    await journal.read(actor, 'GetHealth', {});
    return health.ready();
  },

  async consumers(actor: Actor) {
    await journal.read(actor, 'ListConsumers', {});
    return operations().consumers();
  },

  async deadLetters(actor: Actor, request: unknown) {
    const { filter, ...page } = parse(deadLettersRequest, request);
    const { state, limit } = page;
    await journal.read(actor, 'ListDeadLetters', { ...filter, state, limit });
    return operations().list(filter, page);
  },

  /** Returns the key ring as ids and counts, and never a key. */
  async keys(actor: Actor) {
    await journal.read(actor, 'ListKeys', {});
    return listKeys(rotation);
  },

  async accesses(actor: Actor, request: unknown): Promise<AccessPage> {
    const wanted = parse(accessesRequest, request);
    const { actor: of = '', since, limit } = wanted;
    const asked = { actor: of, since: since?.toISOString() ?? '', limit };
    await journal.read(actor, 'ListAccesses', asked);
    return listAccesses(pool, wanted);
  },
});

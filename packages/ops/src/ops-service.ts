import { type OpsServiceServer, OpsServiceService, SERVICE_SCOPES } from '@junction/contracts';
import { AppError } from '@junction/errors';
import type { Event, EventCodec, StoredData } from '@junction/eventsourcing';
import type { Notifier, ProjectionSet } from '@junction/eventsourcing-postgres';
import type { Operations } from '@junction/messaging';
import type { GrpcService } from '@junction/service-kit/grpc';
import type { Health, Logger } from '@junction/service-kit/process';
import type { RingUse } from '@junction/vault';
import type pg from 'pg';
import { accessMethods } from './access-methods.js';
import { type Changes, opsChanges } from './changes.js';
import { consumerMethods } from './consumer-methods.js';
import { deadLetterMethods } from './dead-letter-methods.js';
import { doctorMethods, type Finding } from './doctor-methods.js';
import { eventMethods } from './event-methods.js';
import type { Fold } from './fold.js';
import { followMethod } from './follow-method.js';
import type { Journal } from './journal.js';
import { keyMethods } from './key-methods.js';
import type { Methods } from './methods.js';
import { OPS, operationFold, opsCodec } from './operation.js';
import { projectionMethods } from './projection-methods.js';
import { opsReads, type Reads } from './reads.js';
import { storeMethods } from './store-methods.js';

export interface OpsOptions<E extends Event> {
  /** The service's name. */
  readonly name: string;
  /** The service's read models, with the codec that opens what is sealed: rebuilding needs it. */
  readonly projections: ProjectionSet<E>;
  /** Notifies of commits on the same database. */
  readonly notifier: Notifier;
  /** Pool for reads and moves of all events: its statements may take as long as a stream of answers. */
  readonly maintenance: pg.Pool;
  /** Codec of the same events with the closed vault: sealed fields stay sealed in answers. */
  readonly codec: Pick<EventCodec<Event>, 'decode'>;
  /** `foldOf` each decider, by aggregate. */
  readonly folds: Readonly<Record<string, Fold>>;
  /** The key ring, and where the service has sealed with it. */
  readonly sealed: RingUse;
  /** Absent for a service that consumes nothing. */
  readonly operations?: Operations;
  /** Readiness of the service, from its checks. */
  readonly health: Pick<Health, 'ready'>;
  /** Runs all checks of what the service needs. */
  readonly diagnose: () => Promise<readonly Finding[]>;
  /** Journal that records each call. */
  readonly journal: Journal;
  readonly log: Logger;
}

/** The operators' service for a gRPC server, and its use cases for HTTP. */
export interface Ops {
  readonly service: GrpcService;
  /** The same reads for the operators' routes of the HTTP server. */
  readonly reads: Reads;
  /** Changes for the operators' routes of the HTTP server. */
  readonly changes: Changes;
  /**
   * Ends the streams of followers, which would hold the server open, and aborts changes that run. Call before closing
   * the server.
   */
  stop(): void;
}

const { readOps: READ, writeOps: WRITE } = SERVICE_SCOPES;

const SCOPES = {
  listStreams: READ,
  listStreamEvents: READ,
  getEvent: READ,
  getStreamState: READ,
  followEvents: READ,
  verifyStreams: READ,
  listProjections: READ,
  rebuildProjection: WRITE,
  discardRebuild: WRITE,
  listDeadLetters: READ,
  getDeadLetter: READ,
  redriveDeadLetters: WRITE,
  dropDeadLetters: WRITE,
  listConsumers: READ,
  resetConsumer: WRITE,
  resetAllConsumers: WRITE,
  listKeys: READ,
  rotateKeys: WRITE,
  getHealth: READ,
  diagnose: READ,
  listAccesses: READ,
} as const satisfies Record<keyof OpsMethods, string>;

/** Every method there is, by name: one without a scope, or without an implementation, does not compile. */
type OpsMethods = {
  readonly [Name in keyof typeof OpsServiceService]: OpsServiceServer[Name];
};

/** Creates the OpsService of proto/junction/ops/v1, for a service on this database. */
export function opsService<E extends Event>(options: OpsOptions<E>): Ops {
  const { name, projections, maintenance, operations, sealed } = options;
  const stopping = new AbortController();
  const methods = methodsOf(options);
  const consuming = () => operations ?? consumesNothing(name);
  const rotation = { ...sealed, pool: maintenance };
  const reads = opsReads(methods, { ...options, rotation }, consuming);
  const { signal } = stopping;
  const changes = opsChanges(methods, {
    projections,
    rotation,
    operations: consuming,
    stopping: signal,
  });
  const implementation: OpsMethods = {
    ...eventMethods(methods),
    ...followMethod(methods, signal),
    ...projectionMethods(methods, projections, reads),
    ...deadLetterMethods(methods, consuming, { reads, changes }),
    ...consumerMethods(methods, consuming, reads),
    ...accessMethods(methods, reads),
    ...storeMethods(methods, maintenance),
    ...doctorMethods(methods, options),
    ...keyMethods(methods, rotation, reads),
  };
  return {
    service: {
      definition: OpsServiceService,
      implementation: { ...implementation },
      scopes: SCOPES,
    },
    reads,
    changes,
    stop: () => stopping.abort(),
  };
}

function consumesNothing(name: string): never {
  const message = `${name} consumes no topics, so it has no dead letters and no consumers.`;
  throw new AppError('consumes_nothing', message);
}

function methodsOf<E extends Event>({
  projections: { pool },
  notifier,
  codec,
  folds,
  journal,
  log,
}: OpsOptions<E>): Methods {
  return {
    pool,
    notifier,
    codec: {
      decode: async (streamId: string, stored: StoredData): Promise<Event> =>
        streamId.startsWith(`${OPS}-`)
          ? opsCodec.decode(streamId, stored)
          : codec.decode(streamId, stored),
    },
    folds: { ...folds, [OPS]: operationFold },
    journal,
    log,
  };
}

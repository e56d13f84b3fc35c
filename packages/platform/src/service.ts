import type { ServiceScope } from '@junction/contracts';
import type { Event, EventCodec } from '@junction/eventsourcing';
import type { Migration, Publish, RowProjection } from '@junction/eventsourcing-postgres';
import type { Consumer, ConsumerOptions } from '@junction/messaging';
import type { Fold } from '@junction/ops';
import type {
  AuthenticateUserOptions,
  DeletedUser,
  TokenVerifierOptions,
  VerifyToken,
} from '@junction/service-kit/callers';
import type { GrpcService } from '@junction/service-kit/grpc';
import type { RouteGroup } from '@junction/service-kit/http';
import type { RingColumn, Vault } from '@junction/vault';
import type { RequestHandler } from 'express';
import type pg from 'pg';
import type { Check } from './doctor/finding.js';
import type { Platform, PlatformConfig } from './platform.js';

/** The event streams of a service, and what comes of an event when it is stored. */
export interface Streams<E extends Event> {
  /** Opens and seals personal fields with the vault. */
  readonly codec: (vault: Vault) => EventCodec<E>;
  /** The ce_source of what is published. */
  readonly source: string;
  readonly publish: Publish<E>;
  /** Read models written in the transaction of their events, those first that others point at. */
  readonly inline: readonly RowProjection<E>[];
  /** What operators see of a stream: `foldOf` each decider, by aggregate. */
  readonly folds: Readonly<Record<string, Fold>>;
}

/** Whose requests are believed. */
export interface Callers
  extends Pick<TokenVerifierOptions, 'keys'>,
    Pick<AuthenticateUserOptions, 'apiKey' | 'ensureUser' | 'revoked'> {}

/** What requests pass before they reach a route. */
export interface Gates {
  readonly verify: VerifyToken;
  /** A user, not too often, with a JSON body: in this order. */
  readonly known: readonly RequestHandler[];
  /** A user or nobody, with a JSON body. A credential that is shown has to be good. */
  readonly perhapsKnown: readonly RequestHandler[];
  /** The same as `known`, for users who are operators. */
  readonly forOperators: readonly RequestHandler[];
  /** The same as `known`, and then an Idempotency-Key. */
  readonly forUsers: readonly RequestHandler[];
  /** Another service whose token has this scope, with a JSON body. */
  readonly forServices: (scope: ServiceScope) => readonly RequestHandler[];
}

export interface ConsumerDefinition
  extends Pick<ConsumerOptions, 'dropDuplicates' | 'begin' | 'handle' | 'batchMax' | 'ready'> {
  /** Its group is the service's name, a dot and this; its topics are those `topics.consumed` has under this. */
  readonly name: string;
  /** The service is ready without it: nobody waits for what it does. */
  readonly readyWithout?: boolean;
  /** Called when it runs, for a part that wants to know what it consumes. */
  readonly onStarted?: (consumer: Consumer) => void;
}

/** What a service adds to the platform. */
export interface ServiceParts {
  /** Whose requests are believed: `callersByAuth`, except in auth itself. */
  readonly callers: Callers;
  /** In order: the first route that fits a path answers. */
  readonly routes: (gates: Gates) => readonly RouteGroup[];
  readonly grpc: readonly GrpcService[];
  /**
   * Takes away, in the transaction of their records, what this service holds of deleted users. What it
   * resolves with is called after the commit. Absent: the service does not read auth's events.
   */
  readonly usersDeleted?: (tx: pg.PoolClient, users: readonly DeletedUser[]) => Promise<() => void>;
  readonly consumers?: readonly ConsumerDefinition[];
}

/** All that a service reads and writes in Kafka, without prefix. Its rights there are made of it: kafkaUsers. */
export interface ServiceTopics {
  /** By the name of the consumer; that of auth's events, which `usersDeleted` starts, is `auth`. */
  readonly consumed: Readonly<Record<string, readonly string[]>>;
  /** Besides the dead-letter topics of those consumed. */
  readonly produced: readonly string[];
}

export interface ServiceDefinition<Config extends PlatformConfig, E extends Event> {
  /** Names its pools, consumer groups and leases; the audience of tokens for its gRPC server. */
  readonly name: string;
  readonly config: (env: NodeJS.ProcessEnv) => Config;
  /**
   * Reads the files that the environment names, opens nothing, and throws what is wrong with them: what
   * `config` leaves out of the command `check`.
   */
  readonly check?: (env: NodeJS.ProcessEnv) => Promise<unknown>;
  readonly migrations: readonly Migration[];
  /** What the doctor looks at besides database, keys, Kafka and certificates. */
  readonly doctor?: (config: Config, pool: pg.Pool) => readonly Check[];
  readonly streams: Streams<E>;
  readonly topics: ServiceTopics;
  /** Where the key ring itself has sealed. */
  readonly sealedColumns: readonly RingColumn[];
  /** Constructs the service: the database answers, nobody has been let in yet. */
  readonly parts: (platform: Platform<Config, E>) => Promise<ServiceParts>;
  /** Milliseconds that closing may take, where fifteen seconds are too few. */
  readonly closeMaxMs?: number;
  /** Field names this service may log besides the common ones. */
  readonly logFields?: readonly string[];
}

/** Gives the definition back, with its types inferred. */
export const defineService = <Config extends PlatformConfig, E extends Event>(
  definition: ServiceDefinition<Config, E>,
): ServiceDefinition<Config, E> => definition;

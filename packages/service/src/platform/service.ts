import type { ServiceScope } from '@junction/contracts';
import type { Event, EventCodec } from '@junction/eventsourcing';
import type { Migration, Publish, RowProjection } from '@junction/eventsourcing/postgres';
import type { Consumer, ConsumerOptions } from '@junction/messaging';
import type { RingColumn, Vault } from '@junction/vault';
import type { RequestHandler } from 'express';
import type pg from 'pg';
import type { z } from 'zod';
import type {
  AuthenticateUserOptions,
  DeletedUser,
  RefusedRequest,
  TokenVerifierOptions,
  VerifyToken,
} from '../callers/index.js';
import type { GrpcService } from '../grpc/index.js';
import type { RouteGroup } from '../http/index.js';
import type { Logger } from '../process/index.js';
import type { OperatorRouters } from './operator-groups.js';
import type { OpenedPlatform, Platform, PlatformConfig } from './platform.js';

/** Event streams of a service, with what becomes of an event when it is stored. */
export interface Streams<E extends Event> {
  /** Opens and seals personal fields with the vault. */
  readonly codec: (vault: Vault) => EventCodec<E>;
  /** The ce_source of what is published. */
  readonly source: string;
  /** Topic of the service's own events. */
  readonly topic: string;
  readonly publish: Publish<E>;
  /** Read models written in the transaction of their events. A model that others refer to stands before them. */
  readonly inline: readonly RowProjection<E>[];
}

/** Credentials that a service accepts. */
export interface Callers
  extends Pick<TokenVerifierOptions, 'keys'>,
    Pick<AuthenticateUserOptions, 'apiKey' | 'ensureUser' | 'revoked'> {}

/** Request handlers that run before a route. */
export interface Gates {
  readonly verify: VerifyToken;
  /** An Idempotency-Key, behind a caller and a body. */
  readonly idempotent: RequestHandler;
  /** A user, within the limit of requests, with a JSON body: in this order. */
  readonly known: readonly RequestHandler[];
  /** A user or nobody, with a JSON body. A credential that is shown has to be good. */
  readonly perhapsKnown: readonly RequestHandler[];
  /** The same as `known`, and then `idempotent`. */
  readonly forUsers: readonly RequestHandler[];
  /** Another service whose token has this scope, with a JSON body. */
  readonly forServices: (scope: ServiceScope) => readonly RequestHandler[];
}

export interface ConsumerDefinition
  extends Pick<
    ConsumerOptions,
    'dropDuplicates' | 'prepare' | 'handle' | 'handleAtOnce' | 'batchMax'
  > {
  /**
   * Name of the consumer within its service. The Kafka group is the service's name, a dot and this name; the topics are
   * those that `topics.consumed` has under this name.
   */
  readonly name: string;
  /** Called when the consumer runs, for a part that needs to know what is consumed. */
  readonly onStarted?: (consumer: Consumer) => void;
}

/** Deletion of users, which the platform reports to auth. */
export interface Erasure {
  /** Returns how many things of each kind were deleted of the user. */
  readonly countsOf: (userId: string) => Readonly<Record<string, number>>;
  readonly afterCommit?: () => void;
}

/** Parts that a service adds to the platform. */
export interface ServiceParts {
  /** Credentials that the service accepts: `callersByAuth`, except in auth itself. */
  readonly callers: Callers;
  /** Routes in order: the first route that fits a path answers. */
  readonly routes: (gates: Gates) => readonly RouteGroup[];
  /** Routes for operators that this service alone has, with paths of /api/ops. */
  readonly operators?: OperatorRouters;
  readonly grpc: readonly GrpcService[];
  /**
   * Deletes what this service holds of deleted users, in the transaction of their records; of those whose account is
   * closed alone it ends what acts for them. Absent: the service does not read auth's events.
   */
  readonly usersDeleted?: (tx: pg.PoolClient, users: readonly DeletedUser[]) => Promise<Erasure>;
  readonly consumers?: readonly ConsumerDefinition[];
}

/**
 * Topics that a service reads and writes, without prefix. kafkaUsers derives the service's rights in Kafka from them.
 */
export interface ServiceTopics {
  /** Consumed topics by consumer; the consumer of auth's events, which `usersDeleted` starts, is `auth`. */
  readonly consumed: Readonly<Record<string, readonly string[]>>;
  /** Produced topics, besides the dead-letter topics of those consumed. */
  readonly produced: readonly string[];
}

/** Platform that is open, with the consumers that run on it. */
export interface OpenedService<Config, E extends Event> extends OpenedPlatform<Config, E> {
  readonly consumers: readonly Consumer[];
}

/** Operators' side of a service. The package operations makes it, which stands on this one. */
export interface ServiceOperations<Config extends PlatformConfig, E extends Event> {
  /** Opens the routes of operators that every service has, and what records refused attempts at them. */
  readonly open: (
    service: ServiceDefinition<Config, E>,
    opened: OpenedService<Config, E>,
  ) => {
    readonly routers: OperatorRouters;
    readonly refused: (refusal: RefusedRequest) => void;
  };
  /** Looks at all that the service needs, writes what it found, and returns the exit code of the process. */
  readonly doctor: (
    service: ServiceDefinition<Config, E>,
    config: Config,
    options: { readonly log: Logger; readonly write: (text: string) => void },
  ) => Promise<number>;
}

export interface ServiceDefinition<Config extends PlatformConfig, E extends Event> {
  /** Name of its pools, consumer groups and leases, and audience of tokens for its gRPC server. */
  readonly name: string;
  readonly config: (env: NodeJS.ProcessEnv) => Config;
  /** Schema of the variables that `config` reads; those marked AT_ONCE follow SETTINGS_FILE. */
  readonly settings: z.ZodObject;
  /**
   * Reads the files that the environment names, opens nothing, and throws what is wrong with them: what
   * `config` leaves out of the command `check`.
   */
  readonly check?: (env: NodeJS.ProcessEnv) => Promise<unknown>;
  readonly migrations: readonly Migration[];
  /** Variable of `config` that holds the URL of the database; commands for the database alone read no other of them. */
  readonly databaseVariable: `${string}_DATABASE_URL`;
  /** Operators' side of the service: `operationsOf` of the package operations. */
  readonly operations: ServiceOperations<Config, E>;
  readonly streams: Streams<E>;
  readonly topics: ServiceTopics;
  /** Columns that the key ring itself has sealed. */
  readonly sealedColumns: readonly RingColumn[];
  /** Constructs the service. The database answers already, and no request is accepted yet. */
  readonly parts: (platform: Platform<Config, E>) => Promise<ServiceParts>;
  /** Milliseconds that closing may take, when fifteen seconds are too few. */
  readonly closeMaxMs?: number;
  /** Field names this service may log besides the common ones. */
  readonly logFields?: readonly string[];
}

/** Returns the definition with its types inferred. */
export const defineService = <Config extends PlatformConfig, E extends Event>(
  definition: ServiceDefinition<Config, E>,
): ServiceDefinition<Config, E> => definition;

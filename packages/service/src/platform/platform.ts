import type { BackgroundJob, Fetch } from '@junction/async';
import type { Event } from '@junction/eventsourcing';
import type { Notifier, PostgresEventStore, ProjectionSet } from '@junction/eventsourcing/postgres';
import type { KafkaPort } from '@junction/messaging';
import type { KeyRing, RingPlace, Vault } from '@junction/vault';
import type pg from 'pg';
import type { ForeignIssuer, Revocations, Sealing } from '../callers/index.js';
import type { EventStreams, EventStreamsOptions } from '../http/index.js';
import type { CommonConfig, Meter, Metrics, Runtime } from '../process/index.js';

/** Configuration that every service has. */
export interface PlatformConfig extends CommonConfig {
  readonly databaseUrl: string;
  /** File that `databaseUrl` came from: its password is read again for each connection. */
  readonly databaseUrlFile?: string | undefined;
  /** Addresses whose X-Forwarded-For is believed. Absent: one gateway. */
  readonly trustedProxies?: readonly string[];
}

export interface JobOptions {
  /** Stops the job as soon as anything closes, without waiting for what was opened after the job. */
  readonly atOnce?: boolean;
}

/** Parts of the platform that a service is built on. Everything here closes by itself. */
export interface Platform<Config, E extends Event>
  extends Pick<Runtime, 'log' | 'closing' | 'health'> {
  readonly name: string;
  readonly config: Config;
  readonly meter: Meter;
  /** Pool for requests, which hold at most half of the connections. */
  readonly pool: pg.Pool;
  /** Pool of all connections, for background work that must not wait for requests. */
  readonly backgroundPool: pg.Pool;
  /** Pool for reads in the middle of a transaction of `pool`. */
  readonly innerPool: pg.Pool;
  /** Pool for statements that read or move all rows. */
  readonly maintenance: pg.Pool;
  readonly ring: KeyRing;
  readonly vault: Vault;
  readonly sealing: Sealing;
  readonly notifier: Notifier;
  readonly kafka: KafkaPort;
  readonly store: PostgresEventStore<E>;
  /** Sessions and users whose tokens no longer count, as auth's events tell. */
  readonly revocations: Revocations;
  /** Issuers of TRUSTED_ISSUERS_FILE. */
  readonly foreignIssuers: readonly ForeignIssuer[];
  /** `fetch` for calls to identity providers and trusted issuers: over all their addresses, or through HTTPS_PROXY. */
  readonly fetch: Fetch;
  /**
   * Asks a dependency every five seconds whether it is there, and measures for how long it has not answered. `ask`
   * rejects when the dependency is not there, and may hang. `servers` are those that have answered when it resolves, as
   * the log names them.
   */
  watch(dependency: string, ask: () => Promise<unknown>, servers: readonly string[]): void;
  /** Wakes the relay after rows of the outbox were committed. */
  wakeRelay(): void;
  /** Wakes the relay and the listeners after events were committed in a transaction that the store did not make. */
  committed(): void;
  /** Calls back after each commit of events by this process. */
  onCommitted(listener: () => void): void;
  /** Runs work every so many milliseconds until the service stops. Failures are logged. */
  job(
    name: string,
    everyMs: number,
    work: () => Promise<void> | Promise<number | undefined>,
    options?: JobOptions,
  ): BackgroundJob;
  /** Streams of server-sent events that end when the service stops. */
  eventStreams(options: Pick<EventStreamsOptions, 'onNews' | 'restMs'>): EventStreams;
}

/** The platform, and what of it no service needs. */
export interface OpenedPlatform<Config, E extends Event> {
  readonly platform: Platform<Config, E>;
  readonly measures: Metrics;
  readonly places: readonly RingPlace[];
  readonly models: ProjectionSet<E>;
}

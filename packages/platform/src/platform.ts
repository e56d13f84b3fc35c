import type { BackgroundJob } from '@junction/async';
import type { Event } from '@junction/eventsourcing';
import type { Notifier, PostgresEventStore } from '@junction/eventsourcing-postgres';
import type { KafkaPort } from '@junction/messaging';
import type { Journal } from '@junction/ops';
import type { ForeignIssuer, Revocations, Sealing } from '@junction/service-kit/callers';
import type { EventStreams, EventStreamsOptions } from '@junction/service-kit/http';
import type { CommonConfig, Meter, Runtime } from '@junction/service-kit/process';
import type { KeyRing, Vault } from '@junction/vault';
import type pg from 'pg';

/** What every service is configured with. */
export interface PlatformConfig extends CommonConfig {
  readonly databaseUrl: string;
  /** Where `databaseUrl` came from: its password is read again for each connection. */
  readonly databaseUrlFile?: string | undefined;
  /** Addresses whose X-Forwarded-For is believed. Absent: one gateway. */
  readonly trustedProxies?: readonly string[];
}

export interface JobOptions {
  /** Its stop begins as soon as anything closes, and does not wait for what was opened after it. */
  readonly atOnce?: boolean;
}

/** What a service builds its parts on. Everything here closes by itself. */
export interface Platform<Config, E extends Event>
  extends Pick<Runtime, 'log' | 'closing' | 'health'> {
  readonly name: string;
  readonly config: Config;
  readonly meter: Meter;
  /** For requests, which hold at most half of the connections. */
  readonly pool: pg.Pool;
  /** All connections: for what goes on by itself, and must not wait for requests. */
  readonly backgroundPool: pg.Pool;
  /** For reads in the middle of a transaction of `pool`. */
  readonly innerPool: pg.Pool;
  /** For statements that read or move all rows. */
  readonly maintenance: pg.Pool;
  readonly ring: KeyRing;
  readonly vault: Vault;
  readonly sealing: Sealing;
  readonly notifier: Notifier;
  /** Where what operators do is recorded. */
  readonly journal: Journal;
  readonly kafka: KafkaPort;
  readonly store: PostgresEventStore<E>;
  /** Sessions and users whose tokens no longer count, as auth's events tell. */
  readonly revocations: Revocations;
  /** Those of TRUSTED_ISSUERS_FILE. */
  readonly foreignIssuers: readonly ForeignIssuer[];
  /** For calls to identity providers and trusted issuers: over all their addresses, or through HTTPS_PROXY. */
  readonly fetch: typeof fetch;
  /** Rows of the outbox are committed. */
  wakeRelay(): void;
  /** Events are committed in a transaction that the store did not make: wakes relay and listeners. */
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

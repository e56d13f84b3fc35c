import type { ClientName, Provider } from '../domain/connection/events.js';
import type { Authorizations } from './connecting/ports.js';
import type { Connections } from './connections/ports.js';
import type { Checks, RevocationQueue } from './ending/ports.js';
import type { HistoryReads } from './history/ports.js';
import type { OAuthProvider } from './oauth-provider.js';
import type { DueRefreshes, RefreshLeases, RefreshOutcome } from './refreshing/ports.js';
import type { UnitOfWork } from './unit-of-work.js';
import type { CurrentConnections } from './vending/ports.js';

/** Ports of the use cases, with clock and chance among them. */
export interface Ports {
  /** Providers by client, in the order of PROVIDERS_FILE. */
  readonly providers: ReadonlyMap<ClientName, OAuthProvider>;
  /** The same providers as users choose between them, in the same order. */
  readonly identityProviders: readonly IdentityProvider[];
  /** Addresses that answers of providers may be forwarded to: whole addresses, compared as strings. */
  readonly returnTo: ReadonlySet<string>;
  readonly unitOfWork: UnitOfWork;
  /** Makes reads that end when the signal aborts, in the database too. */
  readonly readsUntil: (signal: AbortSignal) => Pick<Ports, 'connections' | 'history'>;
  readonly connections: Connections;
  readonly currentConnections: CurrentConnections;
  readonly history: HistoryReads;
  readonly authorizations: Authorizations;
  readonly leases: RefreshLeases;
  readonly dueRefreshes: DueRefreshes;
  /** Called after each attempt of a refresh. */
  readonly refreshEnded: (client: ClientName, outcome: RefreshOutcome) => void;
  readonly revocations: RevocationQueue;
  readonly checks: Checks;
  readonly log: Log;
  readonly now: () => Date;
  /** Milliseconds on a clock that only goes forward, as performance.now() returns them. */
  readonly monotonicMs: () => number;
  /** Random number from 0 to below 1. */
  readonly chance: () => number;
  readonly random: (bytes: number) => Buffer;
}

/** Identity provider as users choose it. */
export interface IdentityProvider {
  readonly id: string;
  readonly displayName: string;
  /** Icon as a data: URI of an image. */
  readonly icon: string | undefined;
  /** Kinds that the provider serves. */
  readonly providers: readonly Provider[];
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

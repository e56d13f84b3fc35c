import type { ClientName, Provider } from '../domain/connection/events.js';
import type { OAuthProvider } from './oauth-provider.js';
import type { RefreshOutcome } from './refreshing/ports.js';

/** Reads and writes of the database by a single statement, typed as the statements are, and the unit of work. */
type TablesOnPool = ReturnType<typeof import('../adapters/postgres/tables.js').tablesOn>;

/** Ports of the use cases, with clock and chance among them. */
export interface Ports extends TablesOnPool {
  /** Providers by client, in the order of PROVIDERS_FILE. */
  readonly providers: ReadonlyMap<ClientName, OAuthProvider>;
  /** The same providers as users choose between them, in the same order. */
  readonly identityProviders: readonly IdentityProvider[];
  /** Addresses that answers of providers may be forwarded to: whole addresses, compared as strings. */
  readonly returnTo: ReadonlySet<string>;
  /** Called after each attempt of a refresh. */
  readonly refreshEnded: (client: ClientName, outcome: RefreshOutcome) => void;
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

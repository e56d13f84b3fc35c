import type { Filter } from './filter.js';
import type { Metadata } from './metadata.js';

/**
 * Signatures of requests, besides those by the webhook's secret: none, or that of the service's key pair, whose public
 * half everybody can read.
 */
export const SIGNATURES = ['hmac', 'ed25519'] as const;
export type Signature = (typeof SIGNATURES)[number];

const byDefault = <Value>(value: Value): Value => value;

/**
 * Options of a webhook besides url and kinds, each with its default. One that is added here gets a column by a
 * migration, and its schemas in event-codec.ts and option-schemas.ts, without which nothing compiles.
 */
export const DEFAULT_OPTIONS = {
  /** Whether deliveries are sent one at a time and strictly in order: one that fails holds the rest until it ends. */
  ordered: byDefault<boolean>(false),
  /** Requests in a second, at most; null: no limit. */
  rateLimit: byDefault<number | null>(null),
  description: byDefault<string | null>(null),
  /** Content filter (`Filter`) as JSON; null: every event of the chosen kinds. */
  filter: byDefault<string | null>(null),
  /** Seconds before each retry; empty: no retries; null: the common schedule. */
  retrySchedule: byDefault<readonly number[] | null>(null),
  /** Metadata (`Metadata`) as JSON; null: none. */
  metadata: byDefault<string | null>(null),
  signature: byDefault<Signature>('hmac'),
  /** Whether requests carry the trace of their event (W3C Trace Context). */
  traceContext: byDefault<boolean>(false),
  /** Names of the headers alone: their values are kept sealed, beside the events. */
  headerNames: byDefault<readonly string[]>([]),
  /** Number that grows by one with each change of the headers; 0: there never were any. */
  headersVersion: byDefault<number>(0),
};

export type WebhookOptions = Readonly<typeof DEFAULT_OPTIONS>;
type OfHeaders = 'headerNames' | 'headersVersion';

/** Options that are stored as JSON. */
export const JSON_OPTIONS = ['filter', 'metadata'] as const;
export const isJson = (name: string): boolean => JSON_OPTIONS.some((one) => one === name);

/** Options as a request has them, without the headers. */
export interface OptionValues
  extends Omit<WebhookOptions, OfHeaders | (typeof JSON_OPTIONS)[number]> {
  readonly filter: Filter;
  readonly metadata: Metadata;
}

/** Options as events hold them. An event lacks those that are later than it. */
export type StoredOptions = Partial<WebhookOptions> & Pick<WebhookOptions, OfHeaders>;

/** Returns the options in the data of an event; those that it lacks have their defaults. */
export function optionsIn(data: StoredOptions): WebhookOptions {
  const names = Object.keys(DEFAULT_OPTIONS) as (keyof WebhookOptions)[];
  const options = names.map((name) => [name, data[name] ?? DEFAULT_OPTIONS[name]]);
  return Object.fromEntries(options) as WebhookOptions;
}

/** Options by which requests are made, one at a time or not. */
export const requestOptions = ({ ordered, signature, traceContext }: WebhookOptions) => ({
  ordered,
  signature,
  traceContext,
});

/** Options to change; absent ones stay. */
export interface OptionsChange extends Partial<Omit<WebhookOptions, OfHeaders>> {
  /** Names of all headers from now on, whose values are other than before. */
  readonly headerNames?: readonly string[];
}

/** Returns the options after the change; undefined when nothing is different. */
export function changedOptions(
  options: WebhookOptions,
  { headerNames, ...change }: OptionsChange,
): WebhookOptions | undefined {
  const setsHeaders =
    headerNames !== undefined && (headerNames.length > 0 || options.headerNames.length > 0);
  const after = {
    ...options,
    ...change,
    ...(setsHeaders && { headerNames, headersVersion: options.headersVersion + 1 }),
  };
  return JSON.stringify(after) === JSON.stringify(options) ? undefined : after;
}

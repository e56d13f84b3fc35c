/**
 * Signatures of requests, besides those by the webhook's secret: none, or that of the service's key pair, whose public
 * half everybody can read.
 */
export const SIGNATURES = ['hmac', 'ed25519'] as const;
export type Signature = (typeof SIGNATURES)[number];

/** Options of a webhook for its deliveries, besides url and kinds. */
export interface WebhookOptions {
  /** Whether deliveries are sent one at a time and strictly in order: one that fails holds the rest until it ends. */
  readonly ordered: boolean;
  /** Requests in a second, at most; null: no limit. */
  readonly rateLimit: number | null;
  readonly description: string | null;
  /** Content filter (`Filter`) as JSON; null: every event of the chosen kinds. */
  readonly filter: string | null;
  /** Seconds before each retry; empty: no retries; null: the common schedule. */
  readonly retrySchedule: readonly number[] | null;
  /** Metadata (`Metadata`) as JSON; null: none. */
  readonly metadata: string | null;
  readonly signature: Signature;
  /** Whether requests carry the trace of their event (W3C Trace Context). */
  readonly traceContext: boolean;
  /** Names of the headers alone: their values are kept sealed, beside the events. */
  readonly headerNames: readonly string[];
  /** Number that grows by one with each change of the headers; 0: there never were any. */
  readonly headersVersion: number;
}

/** Options to change; absent ones stay. */
export interface OptionsChange
  extends Partial<Omit<WebhookOptions, 'headerNames' | 'headersVersion'>> {
  /** Names of all headers from now on, whose values are other than before. */
  readonly headerNames?: readonly string[];
}

export const DEFAULT_OPTIONS: WebhookOptions = {
  ordered: false,
  rateLimit: null,
  description: null,
  filter: null,
  retrySchedule: null,
  metadata: null,
  signature: 'hmac',
  traceContext: false,
  headerNames: [],
  headersVersion: 0,
};

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

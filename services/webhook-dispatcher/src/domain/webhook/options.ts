/**
 * What a webhook is signed with, besides its secret: nothing more, or the key pair of the service as well, whose
 * public half everybody can read.
 */
export const SIGNATURES = ['hmac', 'ed25519'] as const;
export type Signature = (typeof SIGNATURES)[number];

/** How a webhook wants its deliveries, besides where and which. */
export interface WebhookOptions {
  /** One at a time and strictly as they came: one that fails holds the rest until it ends. */
  readonly ordered: boolean;
  /** Requests in a second, at most; null: no limit. */
  readonly rateLimit: number | null;
  readonly description: string | null;
  /** The content filter (`Filter`) as JSON; null: every event of the chosen kinds. */
  readonly filter: string | null;
  /** Seconds before each retry; empty: none; null: the schedule of all. */
  readonly retrySchedule: readonly number[] | null;
  /** JSON (`Metadata`); null: none. */
  readonly metadata: string | null;
  readonly signature: Signature;
  /** Requests carry the trace of their event (W3C Trace Context). */
  readonly traceContext: boolean;
  /** The names alone: values are kept sealed, beside the events. */
  readonly headerNames: readonly string[];
  /** Grows by one with each change of the headers; 0: there never were any. */
  readonly headersVersion: number;
}

/** What to change: absent fields stay. */
export interface OptionsChange
  extends Partial<Omit<WebhookOptions, 'headerNames' | 'headersVersion'>> {
  /** The names of all headers from now on, with other values than before. */
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

/** The options after the change; undefined when nothing is different. */
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

import type { Webhook } from '../../api/types.js';
import { durationsInWords } from './durations.js';
import type { SecretChoice } from './secret-choice.js';

/** A name with its text, as a line of a list of them. */
export interface Pair {
  readonly name: string;
  readonly value: string;
  /** True when the entry is stored. Its value is not shown, and an empty value leaves it unchanged. */
  readonly isStored?: boolean;
}

export type Retries = 'standard' | 'own' | 'none';

/** Values of a webhook's form. The names are those of the API, so that a refusal is shown at its field. */
export interface WebhookFormValues {
  readonly url: string;
  readonly description: string;
  readonly events: string[];
  /** JSON; empty: every event passes. */
  readonly filter: string;
  readonly secretChoice: SecretChoice;
  /** Secret of the user's own; read only with the choice `own`. */
  readonly secret: string;
  /** True when requests are signed by our key pair as well. */
  readonly signature: boolean;
  readonly ordered: boolean;
  /** Requests a second; empty: no limit. */
  readonly rate_limit: string;
  readonly retries: Retries;
  /** Delays of the user's own; read only with the choice `own`. */
  readonly retry_schedule: string;
  readonly headers: readonly Pair[];
  /** True when requests carry the trace of their event. */
  readonly trace_context: boolean;
  readonly metadata: readonly Pair[];
  readonly enabled: boolean;
}

/** Returns the values of an empty form. */
export const proposed = (events: readonly string[]): WebhookFormValues => ({
  url: '',
  description: '',
  events: [...events],
  filter: '',
  secretChoice: 'generate',
  secret: '',
  signature: false,
  ordered: false,
  rate_limit: '',
  retries: 'standard',
  retry_schedule: '',
  headers: [],
  trace_context: false,
  metadata: [],
  enabled: true,
});

/** A webhook as its form shows it. */
export const valuesOf = (webhook: Webhook): WebhookFormValues => ({
  url: webhook.url,
  description: webhook.description ?? '',
  events: [...webhook.events],
  filter: webhook.filter === undefined ? '' : filterText(webhook.filter),
  secretChoice: webhook.has_secret ? 'keep' : 'none',
  secret: '',
  signature: webhook.signature !== undefined,
  ordered: webhook.ordered ?? false,
  rate_limit: webhook.rate_limit === undefined ? '' : String(webhook.rate_limit),
  ...retriesOf(webhook.retry_schedule),
  headers: Object.keys(webhook.headers ?? {}).map((name) => ({ name, value: '', isStored: true })),
  trace_context: webhook.trace_context ?? false,
  metadata: Object.entries(webhook.metadata ?? {}).map(([name, value]) => ({ name, value })),
  enabled: webhook.enabled,
});

export const filterText = (filter: unknown): string => JSON.stringify(filter, null, 2);

function retriesOf(schedule: readonly number[] | undefined) {
  if (schedule === undefined) return { retries: 'standard', retry_schedule: '' } as const;
  return schedule.length === 0
    ? ({ retries: 'none', retry_schedule: '' } as const)
    : ({ retries: 'own', retry_schedule: durationsInWords(schedule) } as const);
}

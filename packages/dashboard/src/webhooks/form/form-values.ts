import type { Webhook, WebhookChanges } from '../../api/types.js';
import { durationsInWords, secondsIn } from './durations.js';
import type { Filter } from './filter-rows.js';
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
  readonly signature: boolean;
  readonly ordered: boolean;
  /** Requests a second; empty: no limit. */
  readonly rate_limit: string;
  readonly retries: Retries;
  /** Delays of the user's own; read only with the choice `own`. */
  readonly retry_schedule: string;
  readonly headers: readonly Pair[];
  readonly trace_context: boolean;
  readonly metadata: readonly Pair[];
  readonly enabled: boolean;
}

/** Values of a webhook that its form and its page show. */
export type SettingName = Exclude<keyof WebhookFormValues, 'secretChoice' | 'secret'>;
export type SettingChanges = Omit<WebhookChanges, 'secret' | 'paused'>;

/** A webhook, or one that is to be made. */
type Configured = Pick<Webhook, 'url' | 'events' | 'enabled'> & Partial<Webhook>;

interface Setting<Value> {
  readonly label: string;
  readonly of: (webhook: Configured) => Value;
  /** Returns the change to what the form holds. Absent: another setting sends it, or it is merged. */
  readonly change?: (form: WebhookFormValues) => SettingChanges;
  /** Term and words, or names, of a fact about a webhook that has the setting. Absent: it is shown in another way. */
  readonly fact?: readonly [string, (webhook: Webhook) => FactWords, 'wide'?];
}
type FactWords = string | readonly string[] | false | undefined;

export const SETTINGS: { readonly [Name in SettingName]: Setting<WebhookFormValues[Name]> } = {
  url: { label: 'URL', of: ({ url }) => url, change: ({ url }) => ({ url }) },
  description: {
    label: 'Description',
    of: ({ description = '' }) => description,
    change: ({ description }) => ({ description: description.trim() || null }),
  },
  events: {
    label: 'Events',
    of: ({ events }) => [...events],
    change: ({ events }) => ({ events: events.toSorted() }),
  },
  filter: {
    label: 'Filter',
    of: ({ filter }) => (filter === undefined ? '' : filterText(filter)),
    change: ({ filter }) => ({ filter: filter.trim() ? (JSON.parse(filter) as Filter) : null }),
  },
  signature: {
    label: 'Sign with our key pair too (ed25519)',
    of: ({ signature }) => signature !== undefined,
    change: ({ signature }) => ({ signature: signature ? 'ed25519' : null }),
  },
  ordered: {
    label: 'In order',
    of: ({ ordered = false }) => ordered,
    change: ({ ordered }) => ({ ordered }),
    fact: ['Order', ({ ordered }) => ordered && 'One at a time, in order'],
  },
  rate_limit: {
    label: 'Rate limit',
    of: ({ rate_limit: rate }) => String(rate ?? ''),
    change: ({ rate_limit: rate }) => ({ rate_limit: rate.trim() ? Number(rate) : null }),
    fact: [
      'Rate limit',
      ({ rate_limit: rate }) => rate?.toLocaleString('en').concat(' per second'),
    ],
  },
  retries: {
    label: 'Retries',
    of: ({ retry_schedule: times }) => (times?.length === 0 ? 'none' : times ? 'own' : 'standard'),
    fact: ['Retries', ({ retry_schedule: times }) => times && scheduleWords(times), 'wide'],
  },
  retry_schedule: {
    label: 'Time before each retry',
    of: ({ retry_schedule: times = [] }) => durationsInWords(times),
    change: (form) => ({ retry_schedule: scheduleOf(form) }),
  },
  headers: {
    label: 'Custom headers',
    of: ({ headers = {} }) =>
      Object.keys(headers).map((name) => ({ name, value: '', isStored: true })),
    fact: ['Headers', ({ headers }) => headers && Object.keys(headers), 'wide'],
  },
  trace_context: {
    label: 'Trace',
    of: ({ trace_context: isTraced = false }) => isTraced,
    change: ({ trace_context }) => ({ trace_context }),
    fact: ['Trace', ({ trace_context: isTraced }) => isTraced && 'Sends traceparent'],
  },
  metadata: {
    label: 'Metadata',
    of: pairsOf,
    fact: ['Metadata', (webhook) => pairsOf(webhook).map(pairInWords).join(', ') || false, 'wide'],
  },
  enabled: {
    label: 'Enabled',
    of: ({ enabled }) => enabled,
    change: ({ enabled }) => ({ enabled }),
  },
};
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** Returns the values of an empty form. */
export const proposed = (events: readonly string[]): WebhookFormValues =>
  formOf({ url: '', events, enabled: true }, 'generate');

/** A webhook as its form shows it. */
export const valuesOf = (webhook: Webhook): WebhookFormValues =>
  formOf(webhook, webhook.has_secret ? 'keep' : 'none');

function formOf(webhook: Configured, secretChoice: SecretChoice): WebhookFormValues {
  const settings = SETTING_NAMES.map((name) => [name, SETTINGS[name].of(webhook)]);
  return { ...Object.fromEntries(settings), secretChoice, secret: '' };
}

export const filterText = (filter: unknown): string => JSON.stringify(filter, null, 2);

function scheduleOf({ retries, retry_schedule: text }: WebhookFormValues) {
  if (retries === 'standard') return null;
  return retries === 'none' ? [] : (secondsIn(text) ?? []);
}

const scheduleWords = (schedule: readonly number[]): string =>
  schedule.length === 0 ? 'None' : `After ${durationsInWords(schedule)}`;

function pairsOf({ metadata = {} }: Configured): readonly Pair[] {
  return Object.entries(metadata).map(([name, value]) => ({ name, value }));
}

export const pairInWords = ({ name, value }: Pair): string =>
  value === '' ? name : `${name}: ${value}`;

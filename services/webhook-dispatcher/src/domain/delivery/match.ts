import { covers } from '../webhook/chosen-kinds.js';
import type { WebhookStatus } from '../webhook/events.js';
import { type Filter, passes } from '../webhook/filter.js';

/** A webhook as far as it decides whether an event matches. */
export interface Matchable {
  readonly webhookId: string;
  /** Kinds and wildcards. */
  readonly events: readonly string[];
  readonly status: WebhookStatus;
  /** Filter of the data; absent: the webhook gets any data. */
  readonly filter?: Filter;
}

/** An event as far as it decides whether a webhook matches. */
export interface Matched {
  readonly kind: string;
  /** True: `*` does not cover the kind. */
  readonly isOptIn: boolean;
  /** Webhook that a notice is about. */
  readonly aboutWebhookId?: string | undefined;
  /** Returns the parsed data; called only when a filter needs them. */
  readonly data: () => unknown;
}

/** Reason why a webhook does not get an event. */
export type NoMatch = 'kind_not_selected' | 'about_itself' | 'filtered';

/** Verdict on an event for one webhook: a paused webhook gets the event later, a disabled one by replay only. */
export type Verdict = 'pending' | 'held' | NoMatch;

export const isMatch = (verdict: Verdict): verdict is Exclude<Verdict, NoMatch> =>
  verdict === 'pending' || verdict === 'held';

export function verdictOf(webhook: Matchable, event: Matched): Verdict {
  const { webhookId, events, status, filter } = webhook;
  const { kind, isOptIn, aboutWebhookId, data } = event;
  if (!events.some((choice) => covers(choice, kind, isOptIn))) return 'kind_not_selected';
  if (webhookId === aboutWebhookId) return 'about_itself';
  if (filter !== undefined && !passes(filter, data())) return 'filtered';
  return status === 'disabled' ? 'held' : 'pending';
}

import { covers } from '../webhook/chosen-kinds.js';
import type { WebhookStatus } from '../webhook/events.js';
import { type Filter, passes } from '../webhook/filter.js';

/** What is asked of a webhook when an event of its user comes. */
export interface Matchable {
  readonly webhookId: string;
  /** Kinds and wildcards. */
  readonly events: readonly string[];
  readonly status: WebhookStatus;
  /** Absent: whatever the data hold. */
  readonly filter?: Filter;
}

/** What is asked of an event. */
export interface Matched {
  readonly kind: string;
  /** The webhook that a notice is about. */
  readonly aboutWebhookId?: string | undefined;
  /** The parsed data; asked for only where a filter has to see it. */
  readonly data: () => unknown;
}

/** Why a webhook does not get an event. */
export type NoMatch = 'kind_not_selected' | 'about_itself' | 'filtered';

/** What an event means for one webhook; a paused one gets it later, a disabled one by replay only. */
export type Verdict = 'pending' | 'held' | NoMatch;

export const isMatch = (verdict: Verdict): verdict is Exclude<Verdict, NoMatch> =>
  verdict === 'pending' || verdict === 'held';

export function verdictOf(webhook: Matchable, { kind, aboutWebhookId, data }: Matched): Verdict {
  const { webhookId, events, status, filter } = webhook;
  if (!events.some((choice) => covers(choice, kind))) return 'kind_not_selected';
  if (webhookId === aboutWebhookId) return 'about_itself';
  if (filter !== undefined && !passes(filter, data())) return 'filtered';
  return status === 'disabled' ? 'held' : 'pending';
}

import type { WebhookStatus } from '../webhook/events.js';

/** What is asked of a webhook when an event of its user comes. */
export interface Matchable {
  readonly webhookId: string;
  readonly events: readonly string[];
  readonly status: WebhookStatus;
}

/** What an event means for one webhook; a paused one gets it later, a disabled one by replay only. */
export type Verdict = 'pending' | 'held' | 'kind_not_selected';

export function verdictOf({ events, status }: Matchable, kind: string): Verdict {
  if (!events.includes(kind)) return 'kind_not_selected';
  return status === 'disabled' ? 'held' : 'pending';
}

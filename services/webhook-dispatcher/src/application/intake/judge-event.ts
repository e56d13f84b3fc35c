import { parseExactly } from '@junction/contracts';
import { isMatch, type Verdict, verdictOf } from '../../domain/delivery/match.js';
import { jobOf } from '../job-of.js';
import type { Delivery, IncomingEvent, MatchedWebhook, TakenEvent } from './ports.js';

/** Verdicts that are stored of one event. */
const VERDICTS_MAX = 100;
const NO_VERDICTS = {};

/** Determines what follows from an event, which is nothing when it came before. */
export function takenEvent(
  event: IncomingEvent,
  webhooks: readonly MatchedWebhook[],
  isRepeat: boolean,
): TakenEvent {
  if (isRepeat) return { event, verdicts: NO_VERDICTS, deliveries: [], isRepeat, filtered: 0 };
  return matched(event, webhooks);
}

function matched(event: IncomingEvent, webhooks: readonly MatchedWebhook[]): TakenEvent {
  const verdicts: Record<string, Verdict> = {};
  const deliveries: Delivery[] = [];
  let filtered = 0;
  const { kind, isOptIn, aboutWebhookId } = event;
  const matchable = { kind, isOptIn, aboutWebhookId, data: parsedOnce(event.data) };
  for (const [index, webhook] of webhooks.entries()) {
    const verdict = verdictOf(webhook, matchable);
    if (isMatch(verdict)) {
      deliveries.push({
        job: jobOf(event, webhook),
        eventTime: event.time,
        verdict,
        isAhead: false,
        result: undefined,
        sent: undefined,
      });
    }
    if (verdict === 'filtered') filtered++;
    if (index < VERDICTS_MAX) verdicts[webhook.webhookId] = verdict;
  }
  return { event, verdicts, deliveries, isRepeat: false, filtered };
}

/** Returns a function that parses the data once, for filters; deliveries carry the bytes as they came. */
function parsedOnce(data: Buffer): () => unknown {
  let parsed: { readonly value: unknown } | undefined;
  return () => {
    parsed ??= { value: parseExactly(data.toString()) };
    return parsed.value;
  };
}

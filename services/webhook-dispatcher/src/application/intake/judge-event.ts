import { newId, parseExactly } from '@junction/contracts';
import { deliveryBody } from '../../domain/delivery/body.js';
import { isMatch, type Verdict, verdictOf } from '../../domain/delivery/match.js';
import type {
  Delivered,
  IncomingEvent,
  IntakeReads,
  JudgedEvent,
  MatchedWebhook,
} from '../ports.js';
import type { Job, Result } from '../sending/job.js';

/** An event with the deliveries that follow from it. */
export interface TakenEvent extends JudgedEvent {
  /** Whether the event came before: a repeat is counted, and nothing else. */
  readonly isRepeat: boolean;
  readonly deliveries: readonly Delivery[];
}

export interface Delivery {
  readonly job: Job;
  readonly eventTime: Date;
  readonly verdict: Delivered;
  /** Whether the dispatcher has the delivery, although it has no row yet. */
  isAhead: boolean;
  /** Result of the attempt that was made ahead. */
  result?: Result;
}

/** Verdicts that are stored of one event. */
const VERDICTS_MAX = 100;
const DAY_MS = 86_400_000;
const NO_VERDICTS = {};

/** Determines what follows from an event. An event whose message is known or `seen` is a repeat. */
export function takenEvent(
  event: IncomingEvent,
  { webhooks, known }: Awaited<ReturnType<IntakeReads['look']>>,
  seen: ReadonlySet<string>,
): TakenEvent {
  const { messageId, userId } = event;
  const isRepeat = known.has(messageId) || seen.has(messageId);
  if (isRepeat) return { event, verdicts: NO_VERDICTS, deliveries: [], isRepeat };
  return matched(event, webhooks.get(userId) ?? []);
}

function matched(event: IncomingEvent, webhooks: readonly MatchedWebhook[]): TakenEvent {
  const verdicts: Record<string, Verdict> = {};
  const deliveries: Delivery[] = [];
  const { kind, aboutWebhookId } = event;
  const matchable = { kind, aboutWebhookId, data: parsedOnce(event.data) };
  for (const [index, webhook] of webhooks.entries()) {
    const verdict = verdictOf(webhook, matchable);
    if (isMatch(verdict)) {
      deliveries.push({
        job: jobOf(event, webhook),
        eventTime: event.time,
        verdict,
        isAhead: false,
      });
    }
    if (index < VERDICTS_MAX) verdicts[webhook.webhookId] = verdict;
  }
  return { event, verdicts, deliveries, isRepeat: false };
}

/** Returns a function that parses the data once, for filters; deliveries carry the bytes as they came. */
function parsedOnce(data: Buffer): () => unknown {
  let parsed: { readonly value: unknown } | undefined;
  return () => {
    parsed ??= { value: parseExactly(data.toString()) };
    return parsed.value;
  };
}

/** Returns the first attempt to deliver an event. */
export function jobOf(
  event: IncomingEvent,
  { webhookId, version, shard }: Pick<MatchedWebhook, 'webhookId' | 'version' | 'shard'>,
): Job {
  const { messageId, userId, kind, time, data, at, traceparent } = event;
  return {
    // Ids increase in the order in which events are taken in, also within a millisecond.
    deliveryId: newId('dlv'),
    day: dayOf(at),
    messageId,
    webhookId,
    webhookVersion: version,
    userId,
    kind,
    shard,
    attempt: 1,
    unscheduled: 0,
    body: deliveryBody({ eventType: kind, userId, time, webhookId }, data),
    ...(traceparent !== undefined && { traceparent }),
  };
}

let lastDay = { number: Number.NaN, text: '' };

/** Returns the day as YYYY-MM-DD in UTC, which as a rule is that of the event before. */
function dayOf(at: Date): string {
  const number = Math.floor(at.getTime() / DAY_MS);
  if (number !== lastDay.number) lastDay = { number, text: at.toISOString().slice(0, 10) };
  return lastDay.text;
}

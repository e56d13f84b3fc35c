import { deliveryBody } from '../domain/delivery/body.js';
import { isMatch, type Verdict, verdictOf } from '../domain/delivery/match.js';
import { shardOf } from '../domain/shard.js';
import type { Job } from './dispatch/job.js';
import type {
  Delivered,
  IncomingEvent,
  IntakeRows,
  JudgedEvent,
  MatchedWebhook,
  NewDelivery,
  Recorded,
} from './ports.js';

/** More of what did not match is not remembered of one event. */
const VERDICTS_MAX = 100;
const CHUNK_DELIVERIES_MAX = 1_000;
const CHUNK_BYTES_MAX = 16 * 1_024 * 1_024;
/** Beyond these jobs are left for the table to hand out again. */
const JOBS_MAX = 2_000;
const JOBS_BYTES_MAX = 32 * 1_024 * 1_024;

/**
 * Takes a batch of events in: matches them with the webhooks of their users, drops what was seen
 * before, files a delivery for each match, and gives what can be sent once the transaction is committed.
 */
export async function takeIn(
  rows: IntakeRows,
  events: readonly IncomingEvent[],
  newDeliveryId: () => string,
): Promise<readonly Job[]> {
  const unique = firstOfEach(events);
  const userIds = [...new Set(unique.map(({ userId }) => userId))];
  for (;;) {
    const webhooks = await rows.webhooksOf(userIds);
    const judged = unique.map((event) => judge(event, webhooks.get(event.userId) ?? []));
    const deliveries = judged.flatMap(({ event, matches }) =>
      matches.map(({ webhook, verdict }) => ({
        job: jobOf(event, webhook, newDeliveryId()),
        verdict,
      })),
    );
    const recorded = await recordAll(rows, judged, deliveries);
    if (recorded === undefined) continue;
    const { day, known } = recorded;
    const repeats = repeatsIn(events, known);
    if (repeats.size > 0) await rows.countRepeats(repeats);
    return jobsToSend(
      deliveries.filter(({ job }) => !known.has(job.messageId)),
      day,
    );
  }
}

async function recordAll(
  rows: IntakeRows,
  judged: readonly JudgedEvent[],
  deliveries: readonly NewDelivery[],
): Promise<Recorded | undefined> {
  const [first = [], ...more] = chunksOf(deliveries);
  const recorded = await rows.record(judged, first);
  if (recorded === undefined) return undefined;
  for (const chunk of more) {
    const fresh = chunk.filter(({ job }) => !recorded.known.has(job.messageId));
    if (fresh.length > 0) await rows.insertDeliveries(recorded.day, fresh);
  }
  return recorded;
}

/** What one statement takes. */
function chunksOf(deliveries: readonly NewDelivery[]): readonly (readonly NewDelivery[])[] {
  const chunks: NewDelivery[][] = [];
  let bytes = 0;
  for (const delivery of deliveries) {
    const { length } = delivery.job.body;
    const last = chunks.at(-1);
    if (last && last.length < CHUNK_DELIVERIES_MAX && bytes + length <= CHUNK_BYTES_MAX) {
      last.push(delivery);
      bytes += length;
    } else {
      chunks.push([delivery]);
      bytes = length;
    }
  }
  return chunks;
}

function jobsToSend(deliveries: readonly NewDelivery[], day: string): readonly Job[] {
  const jobs: Job[] = [];
  let bytes = 0;
  for (const { job, verdict } of deliveries) {
    if (jobs.length >= JOBS_MAX || bytes >= JOBS_BYTES_MAX) break;
    if (verdict !== 'pending') continue;
    jobs.push({ ...job, day });
    bytes += job.body.length;
  }
  return jobs;
}

/** What was seen first is what is delivered, also where a repeat comes with other data. */
function firstOfEach(events: readonly IncomingEvent[]): readonly IncomingEvent[] {
  const first = new Map<string, IncomingEvent>();
  for (const event of events) {
    if (!first.has(event.messageId)) first.set(event.messageId, event);
  }
  return [...first.values()];
}

/** How often each event was dropped: all of one that is known, and all but the first of a new one. */
function repeatsIn(
  events: readonly IncomingEvent[],
  known: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const repeats = new Map<string, number>();
  const seen = new Set(known);
  for (const { messageId } of events) {
    if (seen.has(messageId)) repeats.set(messageId, (repeats.get(messageId) ?? 0) + 1);
    seen.add(messageId);
  }
  return repeats;
}

interface Match {
  readonly webhook: MatchedWebhook;
  readonly verdict: Delivered;
}

function judge(event: IncomingEvent, webhooks: readonly MatchedWebhook[]) {
  const verdicts: Record<string, Verdict> = {};
  const matches: Match[] = [];
  const { kind, aboutWebhookId } = event;
  const matched = { kind, aboutWebhookId, data: parsedOnce(event.data) };
  for (const [index, webhook] of webhooks.entries()) {
    const verdict = verdictOf(webhook, matched);
    if (isMatch(verdict)) matches.push({ webhook, verdict });
    if (index < VERDICTS_MAX) verdicts[webhook.webhookId] = verdict;
  }
  return { event, verdicts, matches };
}

/** Filters look at the parsed data; what is delivered are the bytes as they came. */
function parsedOnce(data: Buffer): () => unknown {
  let parsed: { readonly value: unknown } | undefined;
  return () => {
    parsed ??= { value: JSON.parse(data.toString()) };
    return parsed.value;
  };
}

const jobOf = (
  { messageId, userId, kind, time, data }: IncomingEvent,
  { webhookId, version }: MatchedWebhook,
  deliveryId: string,
): NewDelivery['job'] => ({
  deliveryId,
  messageId,
  webhookId,
  webhookVersion: version,
  userId,
  kind,
  shard: shardOf(userId),
  attempt: 1,
  unscheduled: 0,
  body: deliveryBody({ eventType: kind, userId, time, webhookId }, data),
});

import { randomUUID } from 'node:crypto';
import { type EventCatalogue, messageId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { recordedTraceparent } from '@junction/telemetry';
import { dataIn } from '../../domain/delivery/body.js';
import { shardOf } from '../../domain/shard.js';
import { findEvent } from '../find-event.js';
import { requireSendable } from '../find-webhook.js';
import type { IncomingEvent } from '../intake/ports.js';
import { jobOf } from '../job-of.js';
import type { Ports } from '../ports.js';

/** Source (ce_source) of test events: no other event has it. */
const TEST_SOURCE = 'junction/test';

/** Ids of the delivery (dlv_…) and its message (msg_…). */
export interface SentTest {
  readonly deliveryId: string;
  readonly messageId: string;
}

/** Content of a test event: the catalogue's example of a kind, or the data of an event that came (msg_…). */
export type TestOf = { readonly kind: string } | { readonly messageId: string };

type TestPorts = Pick<
  Ports,
  | 'unitOfWork'
  | 'webhooks'
  | 'catalogue'
  | 'webhookChanged'
  | 'now'
  | 'events'
  | 'deliveries'
  | 'redactions'
  | 'budget'
>;

/**
 * Sends a test event to one webhook, as if the event had just come. @throws AppError `event_not_found`,
 * `payload_expunged`, `bytes_spent`
 */
export const sendTest =
  (ports: TestPorts) =>
  async (userId: string, webhookId: string, of: TestOf): Promise<SentTest> => {
    await requireSendable(ports, userId, webhookId);
    const { catalogue, now } = ports;
    const content =
      'kind' in of ? exampleOf(catalogue, of.kind) : await dataOf(ports, userId, of.messageId);
    const event = testEvent(catalogue, content, { userId, time: now() });
    const job = jobOf(event, { webhookId, version: 0, shard: shardOf(userId) });
    // Looked at once the delivery has its id, by which any later request covers the delivery.
    const redactedTo = await ports.redactions.requestedAt(userId);
    if (content.at && redactedTo && content.at <= redactedTo) throw expunged();
    ports.budget.spend(userId, job.body.length);
    await ports.unitOfWork.inTransaction(async (tx) => {
      const judged = { event, verdicts: { [webhookId]: 'pending' } } as const;
      const delivery = { job, eventTime: event.time, verdict: 'pending' } as const;
      const known = await tx.intake.record([judged], [delivery]);
      if (known.size > 0) throw new Error('A new test event was taken for an old one.');
      await tx.deliveries.markTest(job);
    });
    // The replica that sends for the webhook reads what waits for it at once.
    ports.webhookChanged({ webhookId, userId });
    return { deliveryId: job.deliveryId, messageId: event.messageId };
  };

/** Kind and data, a JSON object. */
interface Content {
  readonly kind: string;
  readonly data: Buffer;
  /** Time when the event of these data was taken in; absent: the data are an example. */
  readonly at?: Date;
}

export function exampleOf({ entries }: EventCatalogue, kind: string): Content {
  const example = entries.find((entry) => entry.kind === kind)?.example ?? {};
  return { kind, data: Buffer.from(JSON.stringify(example)) };
}

/** An event is not stored by itself: its data lie in what its deliveries send. */
async function dataOf(ports: TestPorts, userId: string, messageId: string): Promise<Content> {
  const event = await findEvent(ports)(userId, messageId);
  const { event_type: kind, received_at: at, deliveries } = event;
  const bodies = await ports.deliveries.bodies(
    userId,
    deliveries.map(({ delivery_id }) => delivery_id),
  );
  const [body] = bodies.values();
  if (body) return { kind, at, data: dataIn(body, { eventType: kind, userId }) };
  throw expunged();
}

const expunged = () =>
  new AppError(
    'payload_expunged',
    'The payload of this event is not here: no webhook got it, or it was or is being removed.',
  );

/** Makes an event whose data say that it is a test. */
export function testEvent(
  { isOptIn }: EventCatalogue,
  { kind, data }: Content,
  { userId, time }: Pick<IncomingEvent, 'userId' | 'time'>,
): IncomingEvent {
  const id = randomUUID();
  return {
    messageId: messageId(TEST_SOURCE, id, userId),
    source: TEST_SOURCE,
    id,
    userId,
    kind,
    isOptIn: isOptIn(kind),
    time,
    at: time,
    data: marked(data),
    traceparent: recordedTraceparent(),
  };
}

/**
 * Adds the mark as text, because printing parsed data again would round numbers. Data that have a `test` of their own
 * are printed again all the same: a name that comes twice would be read in two ways (RFC 8259, section 4).
 */
function marked(data: Buffer): Buffer {
  const text = data.toString().trim();
  const parsed = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (parsed['test'] === true) return data;
  if ('test' in parsed) return Buffer.from(JSON.stringify({ ...parsed, test: true }));
  const isEmpty = Object.keys(parsed).length === 0;
  return Buffer.from(`${text.slice(0, -1)}${isEmpty ? '' : ','}"test":true}`);
}

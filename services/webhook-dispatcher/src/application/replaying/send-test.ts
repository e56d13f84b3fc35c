import { randomUUID } from 'node:crypto';
import { type EventCatalogue, messageId } from '@junction/contracts';
import { recordedTraceparent } from '@junction/telemetry';
import { shardOf } from '../../domain/shard.js';
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

/** Sends the catalogue's example of an event of this kind to one webhook, as if the event had just come. */
export const sendTest =
  (ports: Pick<Ports, 'unitOfWork' | 'webhooks' | 'catalogue' | 'webhookChanged' | 'now'>) =>
  async (userId: string, webhookId: string, kind: string): Promise<SentTest> => {
    await requireSendable(ports, userId, webhookId);
    const event = testEvent(ports.catalogue, { userId, kind, time: ports.now() });
    const job = jobOf(event, { webhookId, version: 0, shard: shardOf(userId) });
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

/** Makes an event of the catalogue's example, whose data say that it is a test. */
export function testEvent(
  { entries, isOptIn }: EventCatalogue,
  { userId, kind, time }: Pick<IncomingEvent, 'userId' | 'kind' | 'time'>,
): IncomingEvent {
  const example = entries.find((entry) => entry.kind === kind)?.example;
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
    data: Buffer.from(JSON.stringify({ ...example, test: true })),
    traceparent: recordedTraceparent(),
  };
}

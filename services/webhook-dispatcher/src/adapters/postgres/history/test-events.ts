import { randomUUID } from 'node:crypto';
import { messageId, newId } from '@junction/contracts';
import { inRetriedTransaction } from '@junction/eventsourcing-postgres';
import { recordedTraceparent } from '@junction/telemetry';
import type pg from 'pg';
import type { SentTest, TestEvent } from '../../../application/ports.js';
import { deliveryBody } from '../../../domain/delivery/body.js';
import { shardOf } from '../../../domain/shard.js';
import { type IntakeKeys, intakeRows } from '../intake/intake-rows.js';
import { statement } from '../statement.js';
import { dayOf } from '../stored-id.js';

/** ce_source of test events: no other event has it. */
export const TEST_SOURCE = 'junction/test';

/** Files an event for one webhook alone, as if it had just come. It is due at once. */
export const sendTest =
  (pool: pg.Pool, keys: IntakeKeys) =>
  async ({ userId, webhookId, kind, data }: TestEvent): Promise<SentTest> =>
    inRetriedTransaction(pool, async (tx) => {
      const time = new Date();
      const rows = intakeRows(tx, keys, time);
      const id = randomUUID();
      const bytes = Buffer.from(JSON.stringify({ ...data, test: true }));
      const event = {
        messageId: messageId(TEST_SOURCE, id, userId),
        source: TEST_SOURCE,
        id,
        userId,
        kind,
        time,
        data: bytes,
        at: time,
      };
      const deliveryId = newId('dlv', time);
      const job = {
        deliveryId,
        day: dayOf(time, 0),
        messageId: event.messageId,
        webhookId,
        webhookVersion: 0,
        userId,
        kind,
        shard: shardOf(userId),
        attempt: 1,
        unscheduled: 0,
        traceparent: recordedTraceparent(),
        body: deliveryBody({ eventType: kind, userId, time, webhookId }, bytes),
      };
      const judged = { event, verdicts: { [webhookId]: 'pending' } } as const;
      const known = await rows.record([judged], [{ job, eventTime: time, verdict: 'pending' }]);
      if (known.size > 0) throw new Error('A new test event was taken for an old one.');
      await markTest(tx, { day: job.day, delivery_id: deliveryId });
      return { deliveryId, messageId: event.messageId };
    });

// A statement of its own: tests are rare, and all other events would pay for it.
const markTest = statement(
  'mark_test',
  'update deliveries set is_test = true where day = :day::date and delivery_id = :delivery_id',
);

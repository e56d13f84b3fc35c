import { validateAssistantEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import type { Job } from '../../application/dispatch/job.js';
import { type IncomingEvent, type IntakeRows, takeIn } from '../../application/intake.js';

/** Written by any Kafka client, so nothing in it is believed unchecked. */
export const ASSISTANT_TOPIC = 'assistant.events.v1';

export interface AssistantEventsNeeds {
  readonly rows: (tx: pg.PoolClient) => IntakeRows;
  readonly newDeliveryId: () => string;
  /** Takes what is committed; the table has it too. */
  readonly accept: (jobs: readonly Job[]) => void;
}

/**
 * Files deliveries for a batch of events. A record that breaks a rule of the topic fails with
 * RecordError and becomes a dead letter; those beside it are handled again without it.
 */
export const onEvents =
  (check: (record: InboundRecord) => IncomingEvent) =>
  ({ rows, newDeliveryId, accept }: AssistantEventsNeeds) =>
  async (records: readonly InboundRecord[], tx: pg.PoolClient): Promise<() => void> => {
    const events = records.map(check);
    const jobs = await takeIn(rows(tx), events, newDeliveryId);
    return () => accept(jobs);
  };

export const onAssistantEvents = onEvents(checked);

function checked(record: InboundRecord): IncomingEvent {
  const verdict = validateAssistantEvent(record);
  if (!verdict.ok) throw new RecordError(verdict.code, verdict.reason);
  const { messageId, source, id, userId, type: kind, time, data } = verdict.event;
  return { messageId, source, id, userId, kind, time, data };
}

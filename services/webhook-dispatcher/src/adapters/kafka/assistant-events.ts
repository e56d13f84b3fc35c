import { validateAssistantEvent } from '@junction/contracts';
import { type Handle, type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import type { Job } from '../../application/dispatch/job.js';
import { takeIn } from '../../application/intake.js';
import type { IncomingEvent, IntakeRows } from '../../application/ports.js';

/** Written by any Kafka client, so nothing in it is believed unchecked. */
export const ASSISTANT_TOPIC = 'assistant.events.v1';

export interface IntakePorts {
  readonly rows: (tx: pg.PoolClient) => IntakeRows;
  readonly newDeliveryId: () => string;
  /** Takes what is committed; the table has it too. */
  readonly accept: (jobs: readonly Job[]) => void;
}

/**
 * Files deliveries for a batch of events. A record that breaks a rule of the topic becomes a dead
 * letter, and those beside it are handled.
 */
export const onEvents =
  (check: (record: InboundRecord) => IncomingEvent | RecordError) =>
  ({ rows, newDeliveryId, accept }: IntakePorts): Handle =>
  async (records, tx, setAside) => {
    const events: IncomingEvent[] = [];
    for (const record of records) {
      const event = check(record);
      if (event instanceof RecordError) setAside(record, event);
      else events.push(event);
    }
    if (events.length === 0) return undefined;
    const jobs = await takeIn(rows(tx), events, newDeliveryId);
    return () => accept(jobs);
  };

export const onAssistantEvents = onEvents(checked);

function checked(record: InboundRecord): IncomingEvent | RecordError {
  const verdict = validateAssistantEvent(record);
  if (!verdict.ok) return new RecordError(verdict.code, verdict.reason);
  const { messageId, source, id, userId, type: kind, time, data } = verdict.event;
  return { messageId, source, id, userId, kind, time, data };
}

import type pg from 'pg';
import type { Ports } from '../../../application/ports.js';
import { redactions } from '../privacy/redaction-table.js';
import { countReplay } from '../replaying/count-replay.js';
import { replays } from '../replaying/replays.js';
import type { OpenSealed } from '../sealed-rows.js';
import { webhookHours } from '../statistics/webhook-hours.js';
import { deliveryLog } from './delivery-log.js';
import { eventLog } from './event-log.js';

/** Makes the ports by which owners look back, and have deliveries sent again. */
export function historyTables(pool: pg.Pool, openSealed: OpenSealed) {
  const hours = webhookHours(pool);
  return {
    deliveries: deliveryLog(pool, openSealed),
    replays: { ...replays(pool), count: countReplay(pool) },
    redactions: redactions(pool),
    statistics: {
      hours: hours.read,
      waiting: hours.waiting,
      waitingOfEach: hours.waitingOfEach,
    },
    events: eventLog(pool),
  } satisfies Partial<Ports>;
}

import type pg from 'pg';
import type { ReplayTable } from '../../../application/unit-of-work.js';
import { OTHERS_HAVE_ENDED } from '../begin-after.js';
import { one } from '../one.js';
import { statement } from '../statement.js';
import {
  OPERATION_COLUMNS,
  OPERATION_IDS,
  type OperationRow,
  toOperation,
} from './operation-row.js';

/** Returns true when there is a replay to advance: cheaper than a transaction that finds none. */
export async function isReplayRunning(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await anyRunning(pool);
  return rowCount === 1;
}

/** Condition by which a replay may move on. Once a minute also one that waits: its webhook may be gone. */
const MAY_MOVE = `
  status = 'running'
  and (waits_until is null or least(waits_until, advanced_at + interval '1 minute') <= now())`;

const anyRunning = statement('replay_running', `select from operations where ${MAY_MOVE} limit 1`);

/** Makes the table of replays, within a transaction. */
export const replayTable = (tx: pg.ClientBase): ReplayTable => ({
  async claim() {
    const { rows } = await claimOperation(tx);
    return rows[0] && toOperation(rows[0]);
  },

  async advance(operationId, { sent, skipped, lastDeliveryId, room, waitS = null }) {
    const last_delivery_id = lastDeliveryId;
    const counts = { sent, skipped, last_delivery_id, room, wait_s: waitS };
    const { rows } = await advanceOperation(tx, { operation_id: operationId, ...counts });
    return toOperation(one(rows));
  },

  async end(operationId, status, reason) {
    const { rows } = await endOperation(tx, { operation_id: operationId, status, reason });
    return toOperation(one(rows));
  },
});

const claimOperation = statement<OperationRow>(
  'claim_operation',
  `select ${OPERATION_COLUMNS} from operations
    where ${MAY_MOVE} and ${OTHERS_HAVE_ENDED}
    order by advanced_at limit 1 for update skip locked`,
  OPERATION_IDS,
);

// The rate fades over ten seconds; before that, it is the average since the replay was asked for.
const RATE_OVER_S = `
  greatest(0.001, least(10, extract(epoch from clock_timestamp() - requested_at)))::real`;

const advanceOperation = statement<OperationRow>(
  'advance_operation',
  `update operations
      set sent = sent + :sent, skipped = skipped + :skipped, room = :room,
          last_delivery_id = coalesce(:last_delivery_id, last_delivery_id),
          per_s = per_s * greatest(0, 1 - extract(epoch from clock_timestamp() - advanced_at)::real / ${RATE_OVER_S})
                  + (:sent + :skipped) / ${RATE_OVER_S},
          advanced_at = clock_timestamp(),
          waits_until = clock_timestamp() + :wait_s::float8 * interval '1 s'
    where operation_id = :operation_id returning ${OPERATION_COLUMNS}`,
  { ...OPERATION_IDS, operation_id: 'op', last_delivery_id: 'dlv' },
);

const endOperation = statement<OperationRow>(
  'end_operation',
  `update operations
      set status = :status, reason = :reason, ended_at = now(),
          counted = case when :status = 'completed' then sent + skipped else counted end,
          count_is_exact = count_is_exact or :status = 'completed'
    where operation_id = :operation_id returning ${OPERATION_COLUMNS}`,
  { ...OPERATION_IDS, operation_id: 'op' },
);

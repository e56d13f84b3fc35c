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

const anyRunning = statement(
  'replay_running',
  `select from operations where status = 'running' limit 1`,
);

/** Makes the table of replays, within a transaction. */
export const replayTable = (tx: pg.ClientBase): ReplayTable => ({
  async claim() {
    const { rows } = await claimOperation(tx);
    return rows[0] && toOperation(rows[0]);
  },

  async advance(operationId, { sent, skipped, lastDeliveryId }) {
    const values = { operation_id: operationId, sent, skipped, last_delivery_id: lastDeliveryId };
    const { rows } = await advanceOperation(tx, values);
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
    where status = 'running' and ${OTHERS_HAVE_ENDED}
    order by advanced_at limit 1 for update skip locked`,
  OPERATION_IDS,
);

const advanceOperation = statement<OperationRow>(
  'advance_operation',
  `update operations
      set sent = sent + :sent, skipped = skipped + :skipped,
          last_delivery_id = coalesce(:last_delivery_id, last_delivery_id),
          advanced_at = clock_timestamp()
    where operation_id = :operation_id returning ${OPERATION_COLUMNS}`,
  { ...OPERATION_IDS, operation_id: 'op', last_delivery_id: 'dlv' },
);

const endOperation = statement<OperationRow>(
  'end_operation',
  `update operations set status = :status, reason = :reason, ended_at = now()
    where operation_id = :operation_id returning ${OPERATION_COLUMNS}`,
  { ...OPERATION_IDS, operation_id: 'op' },
);

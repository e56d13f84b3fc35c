import type { Queryable } from '@junction/eventsourcing/postgres';
import type { ReplayOperation } from '../../../application/replaying/ports.js';
import { one } from '../../one.js';
import { OTHERS_HAVE_ENDED } from '../begin-after.js';
import { all, some, table } from '../statement.js';
import {
  OPERATION_COLUMNS,
  OPERATION_IDS,
  type OperationRow,
  toOperation,
} from './operation-row.js';

/** Condition by which a replay may move on. Once a minute also one that waits: its webhook may be gone. */
const MAY_MOVE = `
  status = 'running'
  and (waits_until is null or least(waits_until, advanced_at + interval '1 minute') <= now())`;

/** Returns true when there is a replay to advance: cheaper than a transaction that finds none. */
export const isReplayRunning = some<object>(
  'replay_running',
  `select from operations where ${MAY_MOVE} limit 1`,
);

type Progress = Pick<ReplayOperation, 'sent' | 'skipped' | 'lastDeliveryId' | 'room'> & {
  readonly operationId: string;
  /** Seconds for which the replay waits; null: it does not wait. */
  readonly waitS: number | null;
};
type Ended = Pick<ReplayOperation, 'operationId' | 'status' | 'reason'>;

/** Replays, within a transaction. */
export const replayTable = table({
  /**
   * Locks and returns the running replay whose turn is longest ago, and that no transaction has locked. A replay begins
   * when every transaction has ended that was under way when it was asked for: those may still file a delivery that
   * lies in its span.
   */
  claim: async (tx: Queryable) => (await claimOperation(tx)).map(toOperation)[0],

  /** Adds what was sent, and ends the turn of the replay; with `waitS`, its next turns for so many seconds. */
  advance: async (tx: Queryable, progress: Progress) =>
    toOperation(one(await advanceOperation(tx, progress))),

  end: async (tx: Queryable, end: Ended) => toOperation(one(await endOperation(tx, end))),
});

const claimOperation = all<object, OperationRow>(
  'claim_operation',
  `select ${OPERATION_COLUMNS} from operations
    where ${MAY_MOVE} and ${OTHERS_HAVE_ENDED}
    order by advanced_at limit 1 for update skip locked`,
  OPERATION_IDS,
);

// The rate fades over ten seconds; before that, it is the average since the replay was asked for.
const RATE_OVER_S = `
  greatest(0.001, least(10, extract(epoch from clock_timestamp() - requested_at)))::real`;

const advanceOperation = all<Progress, OperationRow>(
  'advance_operation',
  `update operations
      set sent = sent + :sent, skipped = skipped + :skipped, room = :room,
          last_delivery_id = coalesce(:lastDeliveryId, last_delivery_id),
          per_s = per_s * greatest(0, 1 - extract(epoch from clock_timestamp() - advanced_at)::real / ${RATE_OVER_S})
                  + (:sent + :skipped) / ${RATE_OVER_S},
          advanced_at = clock_timestamp(),
          waits_until = clock_timestamp() + :waitS::float8 * interval '1 s'
    where operation_id = :operationId returning ${OPERATION_COLUMNS}`,
  OPERATION_IDS,
);

const endOperation = all<Ended, OperationRow>(
  'end_operation',
  `update operations
      set status = :status, reason = :reason, ended_at = now(),
          counted = case when :status = 'completed' then sent + skipped else counted end,
          count_is_exact = count_is_exact or :status = 'completed'
    where operation_id = :operationId returning ${OPERATION_COLUMNS}`,
  OPERATION_IDS,
);

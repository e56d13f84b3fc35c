import pg from 'pg';
import type { Result } from '../../../application/job.js';
import { statement } from '../statement.js';

/** Writes results of attempts: all of them, or it throws. */
type Write = (results: readonly Result[]) => Promise<void>;

/**
 * The same, but a result that holds a value which cannot be a row fails alone: in halves, until it is found. Of such a
 * result only what became of its delivery is written, and its attempt is in no log. `onError` is told of it.
 *
 * @param owner who holds the leases under whose epochs the results came to be
 */
export const writeApart =
  (pool: pg.Pool, owner: string, onError: (error: unknown) => void) =>
  (write: Write): Write => {
    const apart: Write = async (results) => {
      try {
        await write(results);
      } catch (error) {
        const [first, ...others] = results;
        if (first === undefined || !isOfValue(error)) throw error;
        if (others.length > 0) {
          const middle = Math.ceil(results.length / 2);
          await apart(results.slice(0, middle));
          return apart(results.slice(middle));
        }
        const { deliveryId } = first.job;
        onError(new Error(`The result of ${deliveryId} cannot be stored.`, { cause: error }));
        await writeFate(pool, owner, first);
      }
    };
    return apart;
  };

const DATA_EXCEPTION = /^22/;

/** Thrown for a value: by the encoder of parameters, by what makes them, or by Postgres. Anything else may pass. */
const isOfValue = (error: unknown): boolean =>
  error instanceof RangeError ||
  error instanceof TypeError ||
  (error instanceof pg.DatabaseError && DATA_EXCEPTION.test(error.code ?? ''));

async function writeFate(pool: pg.Pool, owner: string, { job, fact }: Result): Promise<void> {
  const status = ENDS[fact.type] ?? null;
  const reason = status === 'succeeded' ? null : 'result_not_stored';
  await FATE(pool, { owner, delivery_id: job.deliveryId, status, reason });
}

const ENDS: Readonly<Partial<Record<Result['fact']['type'], string>>> = {
  'delivery.succeeded': 'succeeded',
  'delivery.exhausted': 'exhausted',
  'delivery.refused': 'refused',
};

// Finds rows by the id alone: any other value may be the one that cannot be stored.
const FATE = statement(
  null,
  `
with ours as (
  select delivery_id from pending p
   where delivery_id = :delivery_id
     and exists (select from shard_leases l where l.shard = p.shard and l.owner = :owner)
), ended as (
  delete from pending
   where :status::text is not null and delivery_id in (select delivery_id from ours)
  returning day, delivery_id, webhook_id
), decided as (
  insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
  select day, delivery_id, webhook_id, :status, :reason, now() from ended
)
update pending set attempt = attempt + 1, status = 'retrying', next_at = now() + interval '5 minutes'
 where :status::text is null and delivery_id in (select delivery_id from ours)`,
  { delivery_id: 'dlv' },
);

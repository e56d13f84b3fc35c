import { AppError } from '@junction/errors';
import { type ClientBase, DatabaseError, escapeIdentifier as name } from 'pg';
import type { Event } from '../../index.js';
import { readCommitted } from '../store/read-all.js';
import { inTransaction } from '../transaction.js';
import { type Application, decoded, noteColumns } from './apply-batch.js';
import { type Checkpoint, moveCheckpoint } from './checkpoint.js';
import { isTransient, RebuildStoppedError } from './failure.js';
import { BATCH } from './projection-set.js';

/** Milliseconds for comparing two tables in which every row is different. */
const DIFFERENCE_TIMEOUT_MS = 600_000;

/**
 * Longest wait for a row while the table is locked: shorter than the second after which the server looks for deadlocks,
 * so that the rebuild starts again, never a request.
 */
const ROW_LOCK_TIMEOUT_MS = 250;

/**
 * Makes the live table equal to the one that was filled beside it, in one transaction. Readers never wait, and see all
 * of the change or nothing. Writers of the table wait.
 *
 * The table is locked first. An append comes to its inline rows only under a lock that this one excludes (findRows), so
 * once the lock is granted, events either are committed and have had their inline effect, or will find the rebuilt
 * rows. The committed events are therefore all there are, and are read beyond the fence that readers otherwise keep to.
 *
 * Rows are changed in place, so that whatever refers to them (foreign keys, triggers, prepared statements, columns the
 * projection does not know) stays attached to them.
 *
 * `lockWaitMs`: milliseconds to wait for the table. Other writers queue up behind.
 *
 * Returns how many events were applied in all, those since the last batch included.
 */
export async function switchOver<E extends Event>(
  application: Application<E>,
  from: Checkpoint,
  lockWaitMs: number,
): Promise<number> {
  const { pool, projection, table: beside } = application;
  return inTransaction(pool, async (tx) => {
    await tx.query(`set local lock_timeout = ${lockWaitMs}`);
    await tx.query(`lock table ${name(projection.table)} in exclusive mode`);
    await tx.query(`set local lock_timeout = ${ROW_LOCK_TIMEOUT_MS};
      set local statement_timeout = ${DIFFERENCE_TIMEOUT_MS}`);
    await tx.query('select from projection_checkpoints where name = $1 and live for update', [
      from.name,
    ]);

    const { columns, done } = await applyRest(tx, application, from);
    await applyDifference(tx, application, columns);
    await tx.query(`drop table ${name(beside)}`);
    await tx.query('delete from projection_checkpoints where name = $1 and live', [from.name]);
    await tx.query(
      'update projection_checkpoints set live = true, updated_at = now() where name = $1',
      [from.name],
    );
    return done;
  });
}

/** Applies the events since the last batch; returns all columns that were written, and the number of events done. */
async function applyRest<E extends Event>(
  tx: ClientBase,
  { codec, projection, table, epoch }: Application<E>,
  from: Checkpoint,
): Promise<{ readonly columns: readonly string[]; readonly done: number }> {
  let { at, done } = from;
  for (;;) {
    const events = await readCommitted(tx, at, BATCH, { category: projection.aggregate });
    await moveCheckpoint(tx, epoch, { ...from, at }, events);
    at = events.at(-1) ?? at;
    done += events.length;
    const columns = await decoded(codec, events)
      .then(async (recorded) => projection.applyTo(tx, table, recorded))
      .catch((error: unknown) => {
        throw isTransient(error) ? error : new RebuildStoppedError(undefined, error);
      });
    await noteColumns(tx, from, columns);
    if (events.length < BATCH) break;
  }
  const { rows } = await tx.query<{ columns: readonly string[] }>(
    'select columns from projection_checkpoints where name = $1 and version = $2',
    [from.name, from.version],
  );
  return { columns: rows[0]?.columns ?? [], done };
}

async function applyDifference<E extends Event>(
  tx: ClientBase,
  { projection, table: beside }: Application<E>,
  columns: readonly string[],
): Promise<void> {
  const key = name(projection.key);
  const live = `${name(projection.table)} l`;
  const isSame = `l.${key} = s.${key}`;
  const values = columns.filter((column) => column !== projection.key).map(name);
  const of = (row: string): string => `row(${values.map((value) => `${row}.${value}`).join(', ')})`;
  const run = async (text: string): Promise<void> => {
    // The client itself reads `query_timeout`, to limit its wait for the answer; its types lack this option.
    const query = { text, query_timeout: DIFFERENCE_TIMEOUT_MS };
    await tx.query(query);
  };

  try {
    await run(
      `delete from ${live} where not exists (select from ${name(beside)} s where ${isSame})`,
    );
    // Rows are compared as bytes, which needs no operator of their types and sees every difference.
    if (values.length > 0) {
      await run(
        `update ${live} set (${values.join(', ')}) = ${of('s')} from ${name(beside)} s
          where ${isSame} and ${of('l')}::record *<> ${of('s')}::record`,
      );
    }
    const list = [key, ...values].join(', ');
    await run(
      `insert into ${name(projection.table)} (${list}) select ${list} from ${name(beside)} s
        where not exists (select from ${live} where ${isSame})`,
    );
  } catch (error) {
    throw refusedBy(error, projection.table) ?? error;
  }
}

/** Returns the AppError for rebuilt rows that break a rule of the table; undefined for any other error. */
function refusedBy(error: unknown, table: string): AppError | undefined {
  if (!(error instanceof DatabaseError) || !error.code?.startsWith('23')) return undefined;
  return new AppError(
    'projection_rows_refused',
    `The rebuilt rows break the constraint ${error.constraint ?? '?'} of ${table}, so nothing was ` +
      'switched: correct the projection or the constraint, discard this rebuild and begin again.',
    { cause: error },
  );
}

import { AppError } from '@junction/errors';
import type pg from 'pg';
import { inBoundedTransaction } from '../consumer/bounded-transaction.js';
import type { Consumer } from '../consumer/consumer.js';
import { loadGateOfRedrive, storeGate } from '../consumer/gate-rows.js';
import { quietly, reasonOf, tryAlone } from '../consumer/process-batch.js';
import type { Log } from '../log.js';
import { FULL_COLUMNS, type FullDeadLetterRow, recordOf } from './dead-letter-rows.js';
import { lockKey, type ParkedKey, settleKey, stepOverDiscarded } from './parked-key.js';

/** A transaction takes no more letters after this long. */
const TRANSACTION_MS = 5_000;

export interface RedriveOptions {
  /** Who asks, for the record's history: a service account or a person. */
  readonly by: string;
  /** Handles a record although earlier ones of its key are missing. They will never be handled. */
  readonly acceptGap?: boolean;
}

export interface RedriveResult {
  readonly id: string;
  /**
   * `redriven`: it took effect. `duplicate`: it had taken effect already. `failed`: it is still a dead
   * letter, for the reason beside it. `waiting`: an earlier one of its key comes first. `resolved`:
   * somebody has redriven or dropped it before. `not_found`: there is no such dead letter (any more).
   */
  readonly outcome: 'redriven' | 'duplicate' | 'failed' | 'waiting' | 'resolved' | 'not_found';
  readonly reason?: { readonly code: string; readonly text: string };
}

export interface RedriveContext {
  readonly pool: pg.Pool;
  readonly topicPrefix: string;
  readonly consumers: readonly Pick<Consumer, 'group' | 'topics' | 'ordered' | 'handle'>[];
  readonly log: Log;
}

/** A letter that nothing waits for, in a transaction of its own. */
export async function redriveAlone(
  context: RedriveContext,
  { id, consumer }: { readonly id: string; readonly consumer: string },
  options: RedriveOptions,
): Promise<RedriveResult> {
  const [result] = await inEffect(context, async (tx, effects) => {
    const { rows } = await tx.query<FullDeadLetterRow>(
      `select ${FULL_COLUMNS} from dead_letters where id = $1 for update`,
      [id],
    );
    const [row] = rows;
    if (!row) return [{ id, outcome: 'not_found' }];
    if (row.resolution !== null) return [{ id, outcome: 'resolved' }];
    return [await redriveRow({ ...context, tx, effects, ...options }, consumer, row)];
  });
  return result ?? { id, outcome: 'not_found' };
}

/**
 * The letters of a parked key in their order, as many as are wanted, until one fails. The key is let
 * go when none is left; until then its records wait, those that come meanwhile too.
 */
export async function redriveKey(
  context: RedriveContext,
  at: ParkedKey,
  isWanted: (id: string) => boolean,
  options: RedriveOptions,
): Promise<readonly RedriveResult[]> {
  const all: RedriveResult[] = [];
  for (let isDone = false; !isDone; ) {
    const some = await inEffect(context, async (tx, effects) => {
      isDone = false;
      await lockKey(tx, at);
      const results: RedriveResult[] = [];
      const round: Round = { ...context, tx, effects, ...options };
      const endMs = performance.now() + TRANSACTION_MS;
      while (!isDone && performance.now() < endMs) {
        const result = await redriveNext(round, at, isWanted);
        if (result) results.push(result);
        isDone = result === undefined || result.outcome === 'failed';
      }
      if (isDone) await settleKey(tx, at, undefined);
      return results;
    });
    all.push(...some);
  }
  return all;
}

interface Round extends RedriveContext, RedriveOptions {
  readonly tx: pg.PoolClient;
  readonly effects: (() => void)[];
}

async function redriveNext(
  round: Round,
  at: ParkedKey,
  isWanted: (id: string) => boolean,
): Promise<RedriveResult | undefined> {
  const oldest = await openLetter(round.tx, at, 'true');
  if (!oldest) return undefined;

  await stepOverDiscarded(round.tx, at);
  // Where records overtook each other, the one that the sequence asks for is not the oldest.
  const awaited = await openLetter(
    round.tx,
    at,
    `headers->>'ce_sequence' = (
       select (coalesce(max(sequence), 0) + 1)::text from consumer_sequences
        where consumer = $1 and topic = $2 and key = $3)`,
  );
  const row = oldest.headers['ce_sequence'] === undefined ? oldest : (awaited ?? oldest);
  return isWanted(row.id) ? redriveRow(round, at.consumer, row) : undefined;
}

async function openLetter(
  tx: pg.ClientBase,
  { consumer, topic, key }: ParkedKey,
  condition: string,
): Promise<FullDeadLetterRow | undefined> {
  const { rows } = await tx.query<FullDeadLetterRow>(
    `select ${FULL_COLUMNS} from dead_letters
      where consumer = $1 and topic = $2 and key = $3 and parked and resolved_at is null
        and ${condition}
      order by record_offset, id limit 1 for update`,
    [consumer, topic, key],
  );
  return rows[0];
}

/** Through the gate and the handler, as when it first came. */
async function redriveRow(
  { tx, effects, by, acceptGap = false, log, ...context }: Round,
  group: string,
  row: FullDeadLetterRow,
): Promise<RedriveResult> {
  const { ordered, handle } = consumerOf(context.consumers, group, row.topic);
  const scope = { consumer: group, topic: row.topic, ordered };
  const record = recordOf(row, context.topicPrefix);
  const { id } = row;

  const gate = await loadGateOfRedrive(tx, scope, record);
  const verdict = gate.judge(record);
  if (verdict.kind === 'duplicate') {
    await resolve(tx, id, by, 'it had taken effect before');
    return { id, outcome: 'duplicate' };
  }
  const isGap = verdict.kind === 'bad' && verdict.reason.code === 'ce_sequence_gap';
  const failure =
    verdict.kind === 'bad' && !(isGap && acceptGap)
      ? verdict.reason
      : await tryAlone(handle, record, tx, effects);
  if (failure !== undefined) {
    log.debug({ err: failure, id }, 'redrive: it failed again');
    const reason = reasonOf(failure);
    await tx.query(
      `update dead_letters
          set reason_code = $2, reason_text = $3, redrives = redrives + 1 where id = $1`,
      [id, reason.code, reason.text],
    );
    return { id, outcome: 'failed', reason };
  }
  gate.accept(record);
  await storeGate(tx, scope, gate);
  await resolve(tx, id, by, null);
  return { id, outcome: 'redriven' };
}

/** Its handler may have erased it meanwhile, with the user it is about. */
const resolve = (tx: pg.ClientBase, id: string, by: string, note: string | null) =>
  tx.query(
    `update dead_letters
        set resolved_at = now(), resolution = 'redriven', resolved_by = $2, resolution_note = $3
      where id = $1`,
    [id, by, note],
  );

/** @throws AppError when this process has no such consumer: its handler is not here. */
export function consumerOf(
  consumers: RedriveContext['consumers'],
  group: string,
  topic: string,
): RedriveContext['consumers'][number] {
  const found = consumers.find((each) => each.group === group && each.topics.includes(topic));
  if (found) return found;
  const message = `No consumer ${group} of ${topic} runs here; ask the service that has it.`;
  throw new AppError('conflict', 'consumer_unknown', message);
}

/** In a transaction; what the handlers want done after the commit is done then. */
async function inEffect(
  { pool, log }: RedriveContext,
  work: (tx: pg.PoolClient, effects: (() => void)[]) => Promise<readonly RedriveResult[]>,
): Promise<readonly RedriveResult[]> {
  const effects: (() => void)[] = [];
  const results = await inBoundedTransaction(pool, async (tx) => {
    // As in a batch that is taken record by record: each breaks its own constraints, or none.
    await tx.query('set constraints all immediate');
    return work(tx, effects);
  });
  for (const effect of effects) quietly(effect, log);
  return results;
}

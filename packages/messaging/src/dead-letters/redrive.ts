import { AppError } from '@junction/errors';
import { type InboundRecord, type Log, topicName } from '@junction/kafka';
import type pg from 'pg';
import { inBoundedTransaction } from '../consumer/bounded-transaction.js';
import type { Consumer } from '../consumer/consumer.js';
import { type AfterCommit, callAfterCommit, handleAlone } from '../consumer/handle.js';
import { UNDECODABLE } from '../consumer/undecodable.js';
import { type Reason, reasonOf } from './dead-letter.js';
import { type DeadLetterDetail, findDeadLetter } from './read-dead-letters.js';

export interface RedriveOptions {
  /** Service account or person that requests the redrive, for the letter's history. */
  readonly by: string;
}

export interface RedriveResult {
  readonly id: string;
  /**
   * Outcome of a redrive. `redriven`: the record took effect. `failed`: the record is still a dead letter, for the
   * reason beside it. `resolved`: somebody has redriven or dropped the letter before. `not_found`: there is no such
   * letter.
   */
  readonly outcome: 'redriven' | 'failed' | 'resolved' | 'not_found';
  readonly reason?: Reason;
}

export interface RedriveContext {
  readonly pool: pg.Pool;
  readonly topicPrefix: string;
  /** Consumers of this process: a redrive needs the handler. */
  readonly consumers: readonly Pick<Consumer, 'group' | 'topics' | 'handle'>[];
  readonly log: Log;
}

/**
 * Hands a letter to its ordinary handler once more, in a transaction of its own.
 *
 * @throws AppError `consumer_unknown` when this process has no such consumer; an infrastructure error, after
 * which the letter is as it was.
 */
export async function redriveDeadLetter(
  context: RedriveContext,
  id: string,
  { by }: RedriveOptions,
): Promise<RedriveResult> {
  const afterCommit: AfterCommit[] = [];
  const result = await inBoundedTransaction<RedriveResult>(context.pool, async (tx) => {
    const letter = await findDeadLetter(tx, id, 'for update');
    if (!letter) return { id, outcome: 'not_found' };
    if (letter.state !== 'open') return { id, outcome: 'resolved' };

    // The records of the batch were never decoded here: only its producer can send it again.
    if (letter.reason.code === UNDECODABLE) return failedAgain(tx, id, letter.reason);

    const { handle } = consumerOf(context.consumers, letter);
    // A deferred constraint would fail at the commit instead of counting as a failed redrive.
    await tx.query('set constraints all immediate');
    const handled = await handleAlone(handle, recordOf(letter, context.topicPrefix), tx);
    if (!handled.ok) {
      context.log.debug({ err: handled.error, id }, 'redrive: it failed again');
      return failedAgain(tx, id, reasonOf(handled.error));
    }
    if (handled.afterCommit) afterCommit.push(handled.afterCommit);
    // Matches no row when the handler has deleted the letter with the user it is about.
    await tx.query(
      `update dead_letters set resolved_at = now(), resolution = 'redriven', resolved_by = $2
        where id = $1`,
      [id, by],
    );
    return { id, outcome: 'redriven' };
  });
  callAfterCommit(afterCommit, context.log);
  return result;
}

async function failedAgain(tx: pg.ClientBase, id: string, reason: Reason): Promise<RedriveResult> {
  await tx.query(
    `update dead_letters set reason_code = $2, reason_text = $3, redrives = redrives + 1
      where id = $1`,
    [id, reason.code, reason.text],
  );
  return { id, outcome: 'failed', reason };
}

function consumerOf(
  consumers: RedriveContext['consumers'],
  { consumer, topic }: DeadLetterDetail,
): RedriveContext['consumers'][number] {
  const found = consumers.find((each) => each.group === consumer && each.topics.includes(topic));
  if (found) return found;
  const message = `No consumer ${consumer} of ${topic} runs here; ask the service that has it.`;
  throw new AppError('consumer_unknown', message);
}

/**
 * Returns the record as its handler first saw it, except for characters that Postgres cannot store, which were
 * replaced.
 */
const recordOf = (letter: DeadLetterDetail, topicPrefix: string): InboundRecord => ({
  topic: topicName(topicPrefix, letter.topic),
  partition: letter.partition,
  offset: letter.offset,
  key: letter.key,
  headers: letter.headers,
  value: letter.payload,
  timestamp: letter.recordedAt,
});

import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';
import type { Redaction } from './ports.js';

/** Number of transactions that a user's turn takes at most. */
const STEPS_MAX = 20;
const DAY_MS = 86_400_000;

/**
 * Redacts the payloads of users who asked for it: lists them day by day, then takes them in batches, each in a
 * transaction of its own. What waits to be sent keeps its payload until it has ended. Any number of replicas may do so;
 * a turn is bounded.
 */
export const redactUserPayloads =
  ({ quietWork, redactions }: Pick<Ports, 'quietWork' | 'redactions'>) =>
  async (): Promise<void> => {
    for (const userId of await redactions.users()) {
      await redactions.beginTurn({ userId });
      for (let n = 0; n < STEPS_MAX; n++) {
        if (!(await quietWork.inTransaction((tx) => step(tx, userId)))) break;
      }
    }
  };

/** Returns false when there is nothing more to do for now. */
async function step(tx: Transaction, userId: string): Promise<boolean> {
  const redaction = await tx.redactions.claim(userId);
  if (redaction === undefined) return false;
  const day = nextDay(redaction, await tx.redactions.days());
  if (day !== undefined) return tx.redactions.listDay(redaction, day);
  if (await redactBatch(tx, userId)) return true;
  if (await tx.redactions.listRepeats(redaction)) return true;
  const { beginAfter } = redaction;
  await tx.redactions.end({ userId, beginAfter });
  return false;
}

/**
 * Returns the first day that is not listed yet. The last day is the one after the request: the clock of who filed a
 * delivery may have been ahead.
 */
export function nextDay(
  { requestedAt, listedTo }: Pick<Redaction, 'requestedAt' | 'listedTo'>,
  days: readonly string[],
): string | undefined {
  const last = new Date(requestedAt.getTime() + DAY_MS).toISOString().slice(0, 10);
  return days.find((day) => day > listedTo && day <= last);
}

/** Redacts the next payloads that no attempt needs any more. Returns false when none are left. */
async function redactBatch(tx: Transaction, userId: string): Promise<boolean> {
  const batch = await tx.redactions.next(userId);
  for (const deliveries of batch) {
    await tx.payloads.redact(deliveries);
    await tx.redactions.unlist({ userId, ...deliveries });
  }
  return batch.length > 0;
}

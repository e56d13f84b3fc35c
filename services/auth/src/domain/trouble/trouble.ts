const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A first mail and a week of daily ones. */
const MAILS_MAX = 8;
/** Mails to a user are so far apart, and the next one tells of all that has come up meanwhile. */
const REST_MS = HOUR_MS;
/** A webhook that fails has a notice every twelve hours. */
const FAILING_MS = 13 * HOUR_MS;

/** Causes of which only the user of a webhook or a connection can make an end; of a block, an operator alone. */
export type TroubleKind =
  | 'webhook_failing'
  | 'webhook_disabled'
  | 'webhook_gone'
  | 'webhook_blocked'
  | 'mailbox_lost'
  | 'calendar_lost';

/** A notice about a webhook or a connection. `over`: it needs nobody any more. */
export interface News {
  readonly kind: TroubleKind | 'over';
  readonly at: Date;
}

/** The newest that is known of a webhook or a connection, with the mails about it. */
export interface Trouble extends News {
  /** Mails that told of this cause. */
  readonly mails: number;
  /** When a mail last told of this or an earlier cause. */
  readonly mailedAt: Date | null;
  /** When the next mail has to tell of it; null: it never does again. */
  readonly mailAt: Date | null;
}

/** Returns what is known after a notice. One that came before, or is older than what is known, changes nothing. */
export function afterNews(before: Trouble | undefined, { kind, at }: News): Trouble {
  if (before !== undefined && at <= before.at) return before;
  if (before?.kind === kind && isSo(before, at)) return { ...before, at };
  const mailedAt = before?.mailedAt ?? null;
  return { kind, at, mails: 0, mailedAt, mailAt: kind === 'over' ? null : at };
}

/** Whether the user is needed at that moment, as far as is known. */
export const isSo = ({ kind, at }: News, now: Date): boolean =>
  kind === 'webhook_failing' ? now.getTime() - at.getTime() < FAILING_MS : kind !== 'over';

interface MailPlan<T> {
  /** Whether a mail is sent now. */
  readonly isMailed: boolean;
  /** Troubles that are no more what they were. */
  readonly changed: readonly T[];
}

/**
 * Plans a mail about all troubles of a user: at once for a new cause, and each day while it lasts. Causes that come
 * within an hour of a mail wait for the next one. A user who cannot be mailed is looked at again a day later.
 */
export function planMail<T extends Trouble>(
  troubles: readonly T[],
  now: Date,
  canBeMailed: boolean,
): MailPlan<T> {
  const isDue = ({ mailAt }: T) => mailAt !== null && mailAt <= now;
  const over = troubles
    .filter((one) => isDue(one) && !isSo(one, now))
    .map((one) => ({ ...one, kind: 'over', mailAt: null }) as const);
  const so = troubles.filter((one) => isSo(one, now));
  if (!so.some(isDue)) return { isMailed: false, changed: over };

  const rests = Math.max(...troubles.map(({ mailedAt }) => (mailedAt?.getTime() ?? 0) + REST_MS));
  const waitsUntil = canBeMailed ? rests : now.getTime() + DAY_MS;
  if (waitsUntil > now.getTime()) {
    const later = so.filter(isDue).map((one) => ({ ...one, mailAt: new Date(waitsUntil) }));
    return { isMailed: false, changed: [...over, ...later] };
  }
  return { isMailed: true, changed: [...over, ...so.map((one) => mailed(one, now))] };
}

function mailed<T extends Trouble>(trouble: T, now: Date): T {
  const mails = trouble.mails + 1;
  const isLast = trouble.mailAt === null || mails >= MAILS_MAX;
  const mailAt = isLast ? null : new Date(now.getTime() + DAY_MS);
  return { ...trouble, mails, mailedAt: now, mailAt };
}

import { randomUUID } from 'node:crypto';
import type { KeyRing, RingColumn } from '@junction/vault';
import type pg from 'pg';
import { isUndoable, type NoticeKind, noticeOf } from '../../application/mail/notices.js';
import type { AccountChangeTable } from '../../application/undo/tables.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { type FactorState, factorState, sealState } from './factor-state.js';
import { admitMail, insertMail } from './mail-queue.js';

/** An account before a change of it, its row locked. */
export interface Standing {
  readonly userId: string;
  /** Null of a trusted issuer's user, who is sent nothing. */
  readonly email: string | null;
  /** Whether a mail to the address is known to reach the user. */
  readonly isVerified: boolean;
  readonly factors: FactorState;
}

/** Mails to users about changes of their accounts. */
export interface AccountNotices {
  /**
   * Queues the mails about events in the transaction that appends them, and keeps what their links need. Events of a
   * kind that are appended together have a single mail.
   */
  add(tx: pg.ClientBase, before: Standing, events: readonly AuthEvent[]): Promise<void>;
  /** After the commit: there may be a mail to send. */
  announce(): void;
}

interface NoticesOptions {
  readonly ring: KeyRing;
  /** Whether mails can be sent at all. */
  readonly isOpen: boolean;
  readonly onAdded: () => void;
}

export const accountNotices = ({ ring, isOpen, onAdded }: NoticesOptions): AccountNotices => ({
  async add(tx, before, events) {
    if (!isOpen) return;
    for (const change of changesIn(events)) await tell(tx, ring, before, change);
  },

  announce() {
    if (isOpen) onAdded();
  },
});

/** Undefined for a user who is gone. */
export async function standingOf(
  tx: pg.ClientBase,
  userId: string,
  lock: 'for update' | 'for no key update',
): Promise<Standing | undefined> {
  const { rows } = await tx.query<Pick<Standing, 'email' | 'isVerified'>>(
    `select email, email_verified_at is not null as "isVerified"
       from users where user_id = $1 ${lock}`,
    [userId],
  );
  const [user] = rows;
  return user && { userId, ...user, factors: await factorState(tx, userId) };
}

interface Change {
  readonly kind: NoticeKind;
  readonly at: Date;
  /** The key that it gives a secret to. */
  readonly keyId: string | undefined;
  /** The address after it, where it becomes another. */
  readonly newEmail: string | undefined;
}

function changesIn(events: readonly AuthEvent[]): readonly Change[] {
  const newEmail = events.flatMap((event) =>
    event.type === 'user.email_changed' ? [event.data.email] : [],
  )[0];
  const changes = new Map<NoticeKind, Change>();
  for (const event of events) {
    const kind = noticeOf(event);
    if (kind === 'none' || changes.has(kind)) continue;
    const { type, data } = event;
    const isSecret = type === 'api_key.created' || type === 'api_key.rotated';
    const keyId = isSecret ? data.keyId : undefined;
    changes.set(kind, { kind, at: new Date(data.at), keyId, newEmail });
  }
  return [...changes.values()];
}

/**
 * Queues the mail about a change. Mails are counted by their kind, so that a thief cannot use up the bound with
 * changes of another kind and then act unseen: a change without a mail came after others of its kind, and their
 * links take it back too. To an address that was never verified, which may be a stranger's, mails have no link and
 * are counted together.
 */
async function tell(
  tx: pg.ClientBase,
  ring: KeyRing,
  before: Standing,
  { kind, at, keyId, newEmail }: Change,
): Promise<void> {
  const { userId, email, isVerified } = before;
  if (email === null) return;
  // The mail about an undo goes to the address that the account has returned to.
  const address = kind === 'undone' ? (newEmail ?? email) : email;
  const isTold = await admitMail(tx, { address, userId }, isVerified ? kind : 'unverified');
  const isLinked = isVerified && isUndoable(kind);
  // Without a link the change still counts among those that are taken back.
  const isKept = isLinked && (isTold || keyId !== undefined || kind === 'email_changed');
  const kept = { kind, at, email, keyId, state: isTold ? before.factors : undefined };
  const changeId = isKept ? await keepChange(tx, ring, userId, kept) : undefined;
  if (!isTold) return;
  await insertMail(tx, ring, { kind, address, userId, ...(changeId && { changeId }) }, at);
}

interface KeptChange extends Omit<Change, 'newEmail'> {
  readonly email: string;
  readonly state: FactorState | undefined;
}

async function keepChange(
  tx: pg.ClientBase,
  ring: KeyRing,
  userId: string,
  { kind, at, email, keyId, state }: KeptChange,
): Promise<string> {
  const changeId = randomUUID();
  const place = placeOfState(changeId);
  await tx.query(
    `insert into account_changes (change_id, user_id, kind, changed_at, email, key_id, state_sealed)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [changeId, userId, kind, at, email, keyId, state && sealState(ring, state, { userId, place })],
  );
  return changeId;
}

export const accountChangeTable = (tx: pg.ClientBase, ring: KeyRing): AccountChangeTable => ({
  async add({ userId, isLinked, ...change }) {
    const state = isLinked ? await factorState(tx, userId) : undefined;
    return keepChange(tx, ring, userId, { ...change, state });
  },
});

export const placeOfState = (changeId: string): string =>
  `account_changes/state_sealed/${changeId}`;

export const accountStateColumn: RingColumn = {
  table: 'account_changes',
  column: 'state_sealed',
  key: 'change_id',
  keyType: 'uuid',
  place: placeOfState,
};

import type { EventStore } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';
import type { LockedAccount } from '../account/ports.js';
import { isUndoable, type NoticeKind, noticeOf } from '../notices.js';
import { admitNotice } from '../queue-mail.js';
import type { Tables } from '../unit-of-work.js';

/**
 * Returns a store that queues the mails about changes of accounts in the transaction that appends their events, and
 * keeps what the links of these mails need. Events of a kind that are appended together have a single mail.
 */
export const noticingStore = (
  store: EventStore<AuthEvent>,
  tables: Tables,
): EventStore<AuthEvent> => ({
  ...store,
  async append(appends, context) {
    const changes = tables.mails.isOpen ? changesIn(appends.flatMap(({ events }) => events)) : [];
    const [change] = changes;
    const before = change && (await tables.accounts.lock(change.userId));
    const appended = await store.append(appends, context);
    if (before === undefined || appended.repeated) return appended;
    for (const change of changes) await queueNotice(tables, before, change);
    return appended;
  },
});

interface Change {
  readonly userId: string;
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
    const { type, data } = event;
    if (kind === 'none' || changes.has(kind) || !('userId' in data)) continue;
    const isSecret = type === 'api_key.created' || type === 'api_key.rotated';
    const keyId = isSecret ? data.keyId : undefined;
    changes.set(kind, { userId: data.userId, kind, at: new Date(data.at), keyId, newEmail });
  }
  return [...changes.values()];
}

/** Queues the mail about a change, which has no link to an address that was never verified. */
async function queueNotice(
  tables: Tables,
  { email, isVerified }: LockedAccount,
  { userId, kind, at, keyId, newEmail }: Change,
): Promise<void> {
  if (email === null) return;
  const { mails, accountChanges } = tables;
  // The mail about an undo goes to the address that the account has returned to.
  const address = kind === 'undone' ? (newEmail ?? email) : email;
  // Without its mail an account that is closed could not be brought back.
  const isTold =
    kind === 'account_deleted' ||
    (await admitNotice(tables, { userId, isVerified }, { address, kind }));
  // Without a link the change still counts among those that are taken back.
  const isKept = isVerified && (isTold || keyId !== undefined || kind === 'email_changed');
  const changeId =
    isKept && isUndoable(kind)
      ? await accountChanges.add({ userId, kind, at, email, keyId, isLinked: isTold })
      : undefined;
  if (!isTold) return;
  await mails.add({ kind, address, userId, ...(changeId && { changeId }) }, at);
}

import { randomUUID } from 'node:crypto';
import { statement } from '@junction/eventsourcing/postgres';
import type { KeyRing, RingColumn } from '@junction/vault';
import type pg from 'pg';
import type { OwnedApiKey } from '../../../application/api-key/ports.js';
import type { ChangedWebhook, KeptChange, WantedChange } from '../../../application/undo/ports.js';
import {
  type AccountChange,
  type FoundChange,
  type LostAddress,
  type ToldWebhook,
  UNDO_MS,
  type UndoPreview,
} from '../../../application/undo/ports.js';
import { factorState, openState, restoreFactors, sealState } from '../factor-state.js';

const LISTED_MAX = 100;
const ENDED_MAX = 1_000;

export const postgresAccountChanges = (pool: pg.Pool) => ({
  /**
   * Keeps the token of a mail about this change, in place of an earlier one of the mail. Undefined when the change was
   * taken back, or its account is gone.
   */
  async keepToken({
    mailId,
    changeId,
    tokenHash,
  }: {
    readonly mailId: string;
    readonly changeId: string;
    readonly tokenHash: Buffer;
  }) {
    const link = { mail_id: mailId, change_id: changeId, token_hash: tokenHash };
    return (await saveToken(pool, link)).rows[0];
  },

  /**
   * Finds the change by whose link this address, of now or of before, can have back an account that was deleted, and
   * the moment of the deletion.
   */
  async deletionAt(email: string) {
    return (await findDeletion(pool, { email })).rows[0];
  },

  /** Lists changes of webhooks, from this one on, oldest first. */
  async webhooksSince(changeId: string) {
    return (await listWebhooks(pool, { change_id: changeId })).rows;
  },

  /** The change that a token stands for, and those after it; undefined for an unknown token. */
  async find({ tokenHash, now }: WantedChange) {
    const { rows } = await listSince(pool, { token_hash: tokenHash, now });
    const [first] = rows;
    if (first === undefined) return undefined;
    const { openUntil, mayEndAtOnce } = first;
    const changes = rows.map(({ kind, changedAt }) => ({ kind, changedAt }));
    return { changes, openUntil, mayEndAtOnce };
  },

  /** Deletes some whose links count no more. */
  async deleteEnded(now: Date) {
    await purgeChanges(pool, { now });
  },
});

export const accountChangeTable = (tx: pg.ClientBase, ring: KeyRing) => ({
  /** Adds a change, and returns its id. */
  async add({ userId, kind, at, email, keyId, webhook, mailAt, isLinked }: KeptChange) {
    const changeId = randomUUID();
    const place = placeOfState(changeId);
    const state = isLinked
      ? sealState(ring, await factorState(tx, userId), { userId, place })
      : undefined;
    await insertChange(tx, {
      change_id: changeId,
      user_id: userId,
      kind,
      changed_at: at,
      email,
      key_id: keyId ?? null,
      webhook_id: webhook?.webhookId ?? null,
      traits: webhook?.traits ?? null,
      mail_at: mailAt ?? null,
      state_sealed: state ?? null,
    });
    return changeId;
  },

  async find({ tokenHash, now }: WantedChange) {
    return (await findChange(tx, { token_hash: tokenHash, now })).rows[0];
  },

  /**
   * Lets the links that count go on until another moment. Returns the addresses that they can bring back, each with the
   * earliest change that took it.
   */
  async prolong(userId: string, now: Date, until: Date) {
    return (await prolongChanges(tx, { user_id: userId, now, until })).rows;
  },

  /**
   * Makes the user's second factors those of before the change, and returns the difference. Factors that are still
   * there keep their counters. Recovery codes do not come back, because they may have been used since, and neither
   * does a passkey that another account has registered meanwhile.
   */
  async restoreFactors({ changeId, userId }: FoundChange) {
    // A change that has a token was mailed, so its state is there.
    const { rows } = await findState(tx, { change_id: changeId });
    const [{ state } = { state: Buffer.alloc(0) }] = rows;
    const kept = { userId, place: placeOfState(changeId) };
    return restoreFactors(tx, userId, openState(ring, state, kept));
  },

  ...laterChanges(tx),
});

/** Traces of a change and of later ones. */
const laterChanges = (tx: pg.ClientBase) => ({
  /** Lists the live keys that were made, or got a secret, with this change or later. */
  async apiKeysSince({ userId, place }: FoundChange) {
    return (await keysSince(tx, { user_id: userId, place })).rows;
  },

  /** Lists the ids of webhooks that were made or changed with this change or later. */
  async webhooksSince({ userId, place }: FoundChange) {
    const { rows } = await webhookIdsSince(tx, { user_id: userId, place });
    return rows.map(({ webhookId }) => webhookId);
  },

  /** When the last mail about webhooks of the user is due, or was. */
  async lastWebhookMailAt(userId: string) {
    return (await findWebhookMail(tx, { user_id: userId })).rows[0]?.mailAt;
  },

  /** Adds traits to a change of this webhook that the same links take back. Returns false when there is none. */
  async addTraits(
    userId: string,
    { webhookId, traits, at }: ChangedWebhook & { readonly at: Date },
  ) {
    const webhook = { user_id: userId, webhook_id: webhookId };
    return (await addTraits(tx, { ...webhook, traits, at })).rowCount !== 0;
  },

  /** Deletes this change and all later ones, with their links and the mails about them. */
  deleteSince: async ({ userId, place }: FoundChange) =>
    void (await deleteChanges(tx, { user_id: userId, place })),
});

const placeOfState = (changeId: string): string => `account_changes/state_sealed/${changeId}`;

export const accountStateColumn: RingColumn = {
  table: 'account_changes',
  column: 'state_sealed',
  key: 'change_id',
  keyType: 'uuid',
  place: placeOfState,
};

const UNDO = `interval '${UNDO_MS / 1_000} seconds'`;
const COUNTS = `coalesce(wanted.counts_until, wanted.changed_at + ${UNDO}) > :now`;
/** Whether no change before this one took an address that the account can have back. */
const MAY_END_AT_ONCE = `not exists (
         select from account_changes e where e.user_id = wanted.user_id and e.kind = 'email_changed'
            and e.place < wanted.place) as "mayEndAtOnce"`;
/** The change of a token. A version before this one knows the token of the first mail about it alone. */
const WANTED = `account_changes wanted join users u using (user_id)
 where wanted.change_id in (select change_id from account_changes where token_hash = :token_hash
                            union all
                            select change_id from change_links where token_hash = :token_hash)
   and ${COUNTS}`;

const saveToken = statement<Pick<UndoPreview, 'mayEndAtOnce'>>(`
with wanted as (
  update account_changes set token_hash = coalesce(token_hash, :token_hash)
   where change_id = :change_id returning change_id, user_id, place
), link as (
  insert into change_links (mail_id, change_id, token_hash)
  select :mail_id, change_id, :token_hash from wanted
  on conflict (mail_id) do update set token_hash = excluded.token_hash
)
select ${MAY_END_AT_ONCE} from wanted`);

const listSince = statement<AccountChange & Omit<UndoPreview, 'changes'>>(`
select later.kind, later.changed_at as "changedAt", found.*
  from (select wanted.user_id, wanted.place, u.closed_at + ${UNDO} as "openUntil", ${MAY_END_AT_ONCE}
          from ${WANTED}) found
       join account_changes later on later.user_id = found.user_id and later.place >= found.place
 order by later.place limit ${LISTED_MAX}`);

/** The change by which this address can have an account back that is closed: of several the earliest. */
const findDeletion = statement<{ changeId: string; createdAt: Date }>(`
with told as (
  select change_id, place, closed_at, coalesce(counts_until, changed_at + ${UNDO}) as until
    from users u join account_changes c using (user_id)
   where u.email = :email and kind = 'account_deleted'
  union all
  select change_id, place, closed_at, coalesce(counts_until, changed_at + ${UNDO})
    from account_changes c join users u using (user_id)
   where c.email = :email and kind = 'email_changed' and state_sealed is not null
)
select change_id as "changeId", closed_at as "createdAt"
  from told where closed_at is not null and until > closed_at order by place limit 1`);

const prolongChanges = statement<LostAddress>(`
with prolonged as (
  update account_changes wanted set counts_until = :until
   where user_id = :user_id and ${COUNTS} returning change_id, email, place, kind, state_sealed
)
select distinct on (email) change_id as "changeId", email
  from prolonged where kind = 'email_changed' and state_sealed is not null
 order by email, place`);

const purgeChanges = statement(`
delete from account_changes where change_id in (
  select change_id from account_changes
   where changed_at <= :now::timestamptz - ${UNDO} and coalesce(counts_until, :now) <= :now
   order by changed_at limit ${ENDED_MAX} for update skip locked)`);

const insertChange = statement(`
insert into account_changes
  (change_id, user_id, kind, changed_at, email, key_id, webhook_id, traits, mail_at, state_sealed)
values (:change_id, :user_id, :kind, :changed_at, :email, :key_id, :webhook_id, :traits, :mail_at,
        :state_sealed)`);

const findChange = statement<FoundChange>(`
select wanted.change_id as "changeId", wanted.place, wanted.user_id as "userId", wanted.email,
       ${MAY_END_AT_ONCE}
  from ${WANTED}`);

const findState = statement<{ state: Buffer }>(
  'select state_sealed as state from account_changes where change_id = :change_id',
);

const keysSince = statement<OwnedApiKey>(`
select key_id as "keyId", version from api_keys
 where user_id = :user_id and key_id in (
   select key_id from account_changes where user_id = :user_id and place >= :place)
 order by key_id`);

const webhookIdsSince = statement<{ webhookId: string }>(`
select distinct webhook_id as "webhookId" from account_changes
 where user_id = :user_id and place >= :place and webhook_id is not null order by webhook_id`);

const listWebhooks = statement<ToldWebhook>(`
select later.webhook_id as "webhookId", later.traits, later.changed_at as at, webhooks.events
  from account_changes first
       join account_changes later
         on later.user_id = first.user_id and later.place >= first.place
       left join webhooks on webhooks.webhook_id = later.webhook_id
 where first.change_id = :change_id and later.webhook_id is not null
 order by later.place limit ${LISTED_MAX}`);

const findWebhookMail = statement<{ mailAt: Date }>(`
select mail_at as "mailAt" from account_changes
 where user_id = :user_id and mail_at is not null order by place desc limit 1`);

// A link begins where the state is kept: it counts no longer by this, and what comes after it stays after it.
const addTraits = statement(`
update account_changes
   set traits = array (select distinct trait from unnest (traits || :traits::text[]) trait order by trait),
       changed_at = case when state_sealed is null then :at else changed_at end
 where user_id = :user_id and webhook_id = :webhook_id and place >= coalesce((
   select max(place) from account_changes where user_id = :user_id and state_sealed is not null), 0)`);

const deleteChanges = statement(
  'delete from account_changes where user_id = :user_id and place >= :place',
);

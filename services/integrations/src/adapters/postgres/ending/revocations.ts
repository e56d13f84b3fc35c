import { randomUUID } from 'node:crypto';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import { type Check, problem } from '@junction/operations';
import { inWords } from '@junction/service';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import { z } from 'zod';
import type { QueuedRevocation, TokenOwner } from '../../../application/ending/ports.js';
import type { RevocableToken } from '../../../application/oauth-provider.js';
import { type ClientName, clientName, clientNamed } from '../../../domain/connection/events.js';

const CLAIM_MAX = 20;
const CLAIM = `interval '1 minute'`;
const SECOND_MS = 1_000;

const token = z.object({
  token: z.string(),
  hint: z.enum(['refresh_token', 'access_token']),
  accessToken: z.string().optional(),
});
const account = z.object({ accountId: z.string().optional() });

interface QueueRow {
  readonly revocation_id: string;
  readonly sealed: Buffer;
  readonly connection_id: string | null;
  readonly client: ClientName;
  readonly attempts: number;
  readonly created_at: Date;
}

export interface RevocationBacklog {
  readonly client: ClientName;
  readonly count: number;
  /** Seconds that the oldest has been waiting. */
  readonly oldestS: number;
}

/** Stores tokens to be revoked, sealed with the key ring: their data key is destroyed by then. */
export const postgresRevocations = (db: Queryable, ring: KeyRing) => ({
  async add({ userId, accountId, ...client }: TokenOwner, token: RevocableToken) {
    const id = randomUUID();
    await insertForOwner(db, {
      revocation_id: id,
      user_id: userId,
      identity_provider: client.identityProvider,
      provider: client.provider,
      account_id: accountId ?? null,
      client: clientName(client),
      sealed: sealed(ring, id, { ...token, accountId }),
    });
  },

  /** Claims some revocations that are due, for a minute, so that a worker that dies loses none. */
  async claim() {
    const { rows } = await claimDue(db);
    return rows.map((row) => queued(ring, row));
  },

  async postpone(revocationId: string, backoffMs: number) {
    await postpone(db, { revocation_id: revocationId, backoff_s: backoffMs / SECOND_MS });
  },

  delete: async (revocationId: string) => void (await deleteRevocation(db, revocationId)),
});

export const revocationTable = (tx: Queryable, ring: KeyRing) => ({
  async add(connectionId: string, token: RevocableToken) {
    const id = randomUUID();
    const { rows } = await findAccount(tx, { connection_id: connectionId });
    await insertForConnection(tx, {
      revocation_id: id,
      connection_id: connectionId,
      sealed: sealed(ring, id, { ...token, accountId: rows[0]?.account_id }),
    });
  },

  /** Deletes a revocation. Returns false when it was deleted before. */
  delete: async (revocationId: string) => deleteRevocation(tx, revocationId),

  async isPending(connectionId: string) {
    const { rowCount } = await findPending(tx, { connection_id: connectionId });
    return rowCount === 1;
  },
});

/** Counts tokens that are still to be revoked, of the clients that have any. */
export const revocationBacklog = async (db: Queryable): Promise<readonly RevocationBacklog[]> =>
  (await countPending(db)).rows;

/** A provider that answers takes a revocation within minutes. */
const STUCK_AFTER_S = 3_600;

/** Checks that no token waits for long to be revoked: its provider takes it until then. */
export const waitingRevocations = (db: Queryable): Check => ({
  name: 'revocations',
  needs: ['migrations', 'providers'],
  remedy: 'Ask again.',
  async look() {
    const stuck = (await revocationBacklog(db)).filter(({ oldestS }) => oldestS > STUCK_AFTER_S);
    if (stuck.length === 0) return 'None waits for long.';
    const providers = new Set(stuck.map(({ client }) => clientNamed(client).identityProvider));
    return [...providers].map((provider) => {
      const ofIt = stuck.filter(({ client }) => clientNamed(client).identityProvider === provider);
      const count = ofIt.reduce((sum, { count }) => sum + count, 0);
      const oldestS = Math.max(...ofIt.map(({ oldestS }) => oldestS));
      return problem(
        `${provider} still takes ${count === 1 ? 'a token' : `${count} tokens`} of users who disconnected or were deleted: it has not revoked the oldest for ${inWords(oldestS)}.`,
        `The log of integrations says in lines with "revocation" what ${provider} answers: mend the client's id or secret in PROVIDERS_FILE, or its right to revoke. It is asked again by itself.`,
      );
    });
  },
});

async function deleteRevocation(db: Queryable, revocationId: string): Promise<boolean> {
  const { rowCount } = await deleteOne(db, { revocation_id: revocationId });
  return rowCount === 1;
}

/** Seals the tokens and their account, which is personal and outlives the row of the connection. */
const sealed = (
  ring: KeyRing,
  id: string,
  token: RevocableToken & { readonly accountId?: string | undefined },
): Buffer => sealWithRing(ring, Buffer.from(JSON.stringify(token)), place(id));

const opened = (ring: KeyRing, { revocation_id: id, sealed }: QueueRow): unknown =>
  JSON.parse(openWithRing(ring, sealed, place(id)).toString());

const queued = (ring: KeyRing, row: QueueRow): QueuedRevocation => ({
  token: () => token.parse(opened(ring, row)),
  accountId: () => account.parse(opened(ring, row)).accountId,
  revocationId: row.revocation_id,
  connectionId: row.connection_id,
  client: row.client,
  attempts: row.attempts,
  queuedAt: row.created_at,
});

const place = (id: string): string => `provider_revocations/${id}`;

export const revocationColumn: RingColumn = {
  table: 'provider_revocations',
  column: 'sealed',
  key: 'revocation_id',
  keyType: 'uuid',
  place,
};

const insertForOwner = statement(`
insert into provider_revocations (revocation_id, connection_id, user_id, client, sealed)
values (:revocation_id,
        (select connection_id from connections
          where user_id = :user_id and identity_provider = :identity_provider
            and provider = :provider and account_id = :account_id),
        :user_id, :client, :sealed)`);

const findAccount = statement<{ readonly account_id: string }>(
  'select account_id from connections where connection_id = :connection_id',
);

const insertForConnection = statement(`
insert into provider_revocations (revocation_id, connection_id, user_id, client, sealed)
select :revocation_id, connection_id, user_id, identity_provider || '/' || provider, :sealed
  from connections where connection_id = :connection_id`);

const claimDue = statement<QueueRow>(`
update provider_revocations set attempts = attempts + 1, next_at = now() + ${CLAIM}
 where revocation_id in (
         select revocation_id from provider_revocations
          where next_at <= now() order by next_at limit ${CLAIM_MAX}
            for update skip locked)
returning revocation_id, connection_id, client, sealed, attempts, created_at`);

const postpone = statement(`
update provider_revocations set next_at = now() + make_interval(secs => :backoff_s)
 where revocation_id = :revocation_id`);

const findPending = statement(
  'select from provider_revocations where connection_id = :connection_id limit 1',
);

const deleteOne = statement(
  'delete from provider_revocations where revocation_id = :revocation_id',
);

const countPending = statement<RevocationBacklog>(`
select client, count(*)::int as count,
       greatest(0, extract(epoch from now() - min(created_at)))::float8 as "oldestS"
  from provider_revocations group by client`);

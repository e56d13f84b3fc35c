import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type { DueRefreshes } from '../../../application/refreshing/ports.js';
import { type ClientName, clientNamed } from '../../../domain/connection/events.js';
import { LAST_TRY_MS } from '../../../domain/refresh-ahead.js';

/**
 * Duration of a claim, longer than a refresh takes: a claim that is still there afterwards belongs to a replica that
 * died.
 */
const CLAIM = `interval '90 seconds'`;
const LAST_TRY = `interval '${LAST_TRY_MS} milliseconds'`;
const SECOND_MS = 1_000;

/** Size of the queue of a client, for metrics. */
export interface Backlog {
  readonly client: ClientName;
  readonly due: number;
  /** Age in seconds of the oldest refresh that is due; 0 when none is due. */
  readonly oldestS: number;
}

/** Returns the queue of credentials by when they are to be refreshed. The lease decides which replica may refresh. */
export const refreshQueue = (db: Queryable): DueRefreshes => ({
  async claim(client, limit) {
    const { rows } = await claimDue(db, { client, limit });
    return rows
      .filter((row) => !row.is_too_soon)
      .map((row) => ({
        ...clientNamed(client),
        connectionId: row.connection_id,
        credentialVersion: row.credential_version,
      }));
  },

  async nextInMs(client) {
    const { rows } = await findNext(db, { client });
    return rows[0] && rows[0].in_s * SECOND_MS;
  },
});

/** Returns the backlogs of these clients, in their order. */
export async function dueBacklog(
  db: Queryable,
  clients: readonly ClientName[],
): Promise<readonly Backlog[]> {
  const { rows } = await countDue(db);
  return clients.map(
    (client) => rows.find((row) => row.client === client) ?? { client, due: 0, oldestS: 0 },
  );
}

const claimDue = statement<{
  readonly connection_id: string;
  readonly credential_version: number;
  readonly is_too_soon: boolean;
}>(`
with due as materialized (
  select connection_id,
         -- A holder that let its lease pass may have sent a refresh.
         (answer_lost or lease_until <= now()) is true
           and expires_at - ${LAST_TRY} > now() as is_too_soon
    from credentials
   where client = :client and refresh_at <= now() order by refresh_at limit :limit
     for update skip locked)
update credentials k
   set refresh_at = case when is_too_soon then expires_at - ${LAST_TRY} else now() + ${CLAIM} end
  from due where k.connection_id = due.connection_id
returning k.connection_id, credential_version, is_too_soon`);

const findNext = statement<{ readonly in_s: number }>(`
select extract(epoch from refresh_at - now())::float8 as in_s
  from credentials where client = :client order by refresh_at limit 1`);

const countDue = statement<Backlog>(`
select client, count(*)::int as due,
       extract(epoch from now() - min(refresh_at))::float8 as "oldestS"
  from credentials where refresh_at <= now() group by client`);

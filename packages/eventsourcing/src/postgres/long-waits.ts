import type { Queryable } from './queryable.js';

/** A session of this role and database that has been waiting for a while, and for what. */
export interface LongWait {
  /** The `application_name` of the session. */
  readonly application: string;
  /** `SyncRep`: a commit waits for a standby. `Lock`: a statement waits for another session. */
  readonly event: 'SyncRep' | 'Lock';
  /** Sentences for an operator, with the remedy. */
  readonly reason: string;
}

interface Row {
  readonly application: string;
  readonly event: 'SyncRep' | 'Lock';
  readonly standbys: string;
  readonly connected: number;
  readonly blocker: number | null;
  readonly holder: string | null;
  readonly since: string | null;
}

// With a standby that answers each commit waits a moment, and so does each statement that meets a lock.
const WAITS = `
select waiting.application_name as application,
       case waiting.wait_event when 'SyncRep' then 'SyncRep' else 'Lock' end as event,
       current_setting('synchronous_standby_names') as standbys,
       (select count(*)::int from pg_stat_replication) as connected,
       blocker, holding.application_name as holder,
       to_char(holding.xact_start, 'YYYY-MM-DD HH24:MI:SS TZ') as since
  from pg_stat_activity waiting
  left join lateral unnest(pg_blocking_pids(waiting.pid)) blocker on true
  left join pg_stat_activity holding on holding.pid = blocker
 where waiting.datname = current_database() and waiting.usename = current_user
   and (waiting.wait_event = 'SyncRep' or waiting.wait_event_type = 'Lock')
   and waiting.query_start < clock_timestamp() - interval '1 s'
 order by waiting.pid, blocker`;

/**
 * Returns the sessions that have waited for more than a second for a synchronous standby or for a lock. Such a
 * commit or statement hangs without an error, so nothing else tells why.
 */
export async function longWaits(db: Queryable): Promise<readonly LongWait[]> {
  const { rows } = await db.query<Row>({ text: WAITS });
  return rows.map(({ application, event, ...found }) => {
    return { application, event, reason: event === 'Lock' ? ofLock(found) : ofStandby(found) };
  });
}

type Found = Omit<Row, 'application' | 'event'>;

const ofStandby = ({ standbys, connected }: Found): string =>
  `A commit waits for a synchronous standby: synchronous_standby_names is '${standbys}', and ` +
  `${connected} standbys are connected. Start the standby, or do without it: alter system set ` +
  "synchronous_standby_names = ''; select pg_reload_conf(); until it is set again, what is committed is on one " +
  'machine alone.';

const ofLock = ({ blocker, holder, since }: Found): string =>
  blocker
    ? `A statement waits for a lock of session ${blocker} (${holder || 'without a name'}), whose transaction is open ` +
      `since ${since ?? 'a time that this role may not see'}. It goes on when that ends; an administrator ends it by: ` +
      `select pg_terminate_backend(${blocker});`
    : 'A statement waits for a lock of a prepared transaction: select * from pg_prepared_xacts; and end it.';

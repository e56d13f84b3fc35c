import type { Position } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { cursorOf } from './cursor.js';
import { type Facts, OPS } from './operation.js';

/** Access of an operator: a read, a change or a refusal. */
export interface Access {
  readonly cursor: string;
  readonly streamId: string;
  readonly actorKind: 'user' | 'service';
  /** A user id or a client id. */
  readonly actorId: string;
  readonly method: string;
  readonly arguments: Facts;
  readonly at: Date;
  /** `read`, `completed`, `failed`, `refused`; `requested` where the outcome of a change is not recorded. */
  readonly outcome: string;
  /** Code of the error that a failed or refused call was answered with. */
  readonly code: string | undefined;
  /** Times that the call was attempted. Repeated refusals are recorded once. */
  readonly attempts: number;
}

export interface AccessPage {
  readonly accesses: readonly Access[];
  /** Cursor of the next page; absent on the last page. */
  readonly next: string | undefined;
}

export interface WantedAccesses {
  readonly actor?: string | undefined;
  readonly since?: Date | undefined;
  /** Position of the access after which the page begins; only older accesses are listed. */
  readonly after?: Position | undefined;
  readonly limit: number;
}

interface Row {
  readonly stream_id: string;
  readonly tx: string;
  readonly position: string;
  readonly data: {
    readonly clientId?: string;
    readonly userId?: string;
    readonly method: string;
    readonly arguments: Facts;
    readonly attempts?: number;
  };
  readonly recorded_at: Date;
  readonly outcome: string;
  readonly code: string | null;
}

const LIST = `
select a.stream_id, a.tx::text, a.position::text, a.data, a.recorded_at,
       last.type as outcome, last.data ->> 'code' as code
  from events a
       cross join lateral (select e.type, e.data from events e where e.stream_id = a.stream_id
                            order by e.version desc limit 1) last
 where split_part(a.stream_id, '-', 1) = $1
   and a.type in ('ops.read', 'ops.requested', 'ops.refused')
   and ($2::text is null or coalesce(a.data ->> 'userId', a.data ->> 'clientId') = $2)
   and ($3::timestamptz is null or a.recorded_at >= $3)
   and ($4::text is null or (a.tx, a.position) < ($4::text::xid8, $5::bigint))
 order by a.tx desc, a.position desc limit $6`;

/** Returns a page of what operators looked at and changed, newest first. */
export async function listAccesses(
  pool: pg.Pool,
  { actor, since, after, limit }: WantedAccesses,
): Promise<AccessPage> {
  const { rows } = await pool.query<Row>(LIST, [
    OPS,
    actor ?? null,
    since ?? null,
    after ? String(after.tx) : null,
    after ? String(after.position) : null,
    limit + 1,
  ]);
  const accesses = rows.slice(0, limit).map(accessOf);
  return { accesses, next: rows.length > limit ? accesses.at(-1)?.cursor : undefined };
}

const accessOf = ({ stream_id, tx, position, data, recorded_at, outcome, code }: Row): Access => ({
  cursor: cursorOf({ tx: BigInt(tx), position: BigInt(position) }),
  streamId: stream_id,
  actorKind: data.userId === undefined ? 'service' : 'user',
  actorId: data.userId ?? data.clientId ?? '',
  method: data.method,
  arguments: data.arguments,
  at: recorded_at,
  outcome: outcome.slice(`${OPS}.`.length),
  code: code ?? undefined,
  attempts: data.attempts ?? 1,
});

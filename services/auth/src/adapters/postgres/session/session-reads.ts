import { statement } from '@junction/eventsourcing/postgres';
import { moment, query } from '@junction/service';
import { z } from 'zod';

const fields = {
  id: z.string(),
  device: z
    .string()
    .nullable()
    .describe('In words of ours, such as `Firefox on Linux`, `curl` or `unknown device`.'),
  started_at: moment,
  last_used_at: moment,
};

/** The last use of a session is its latest refresh, or its beginning. */
const LIVE = `
select s.session_id as id, d.device, s.started_at,
       coalesce((select max(t.issued_at) from refresh_tokens t where t.session_id = s.session_id),
                s.started_at) as last_used_at
  from sessions s left join session_devices d using (session_id)
 where s.user_id = :user_id`;
const ORDER = 'order by last_used_at desc, id desc';

/** The live sessions of a user, the last used first. */
export const liveSessions = query(z.object(fields), statement(`${LIVE} ${ORDER}`));

/** The same, with the one that asks among them. */
export const ownSessions = query(
  z.object({ ...fields, is_current: z.boolean() }).meta({ id: 'Session' }),
  statement(
    `select live.*, id is not distinct from :current::text as is_current from (${LIVE}) live ${ORDER}`,
  ),
);

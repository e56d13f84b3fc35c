import type pg from 'pg';
import type {
  CountedUser,
  ListedUser,
  UserDirectory,
} from '../../../application/operators/ports.js';

const COLUMNS = `user_id as id, email, origin, created_at as "createdAt",
       email_verified_at as "emailVerifiedAt", role`;

const LIST = `
select ${COLUMNS} from users
 where ($1::text is null or email = $1)
   and ($2::timestamptz is null or (created_at, user_id) < ($2, $3::uuid))
 order by created_at desc, user_id desc limit $4`;

const FIND = `
select ${COLUMNS},
       (select count(*)::int from sessions s where s.user_id = u.user_id) as sessions,
       (select count(*)::int from api_keys k where k.user_id = u.user_id) as "apiKeys"
  from users u where user_id = $1`;

export const postgresUserDirectory = (pool: pg.Pool): UserDirectory => ({
  async list({ email, before, limit }) {
    const values = [email ?? null, before?.createdAt ?? null, before?.id ?? null, limit];
    return (await pool.query<ListedUser>(LIST, values)).rows;
  },

  async find(userId) {
    return (await pool.query<CountedUser>(FIND, [userId])).rows[0];
  },
});

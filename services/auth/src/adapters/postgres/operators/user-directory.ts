import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type {
  CountedUser,
  ListedUser,
  UserDirectory,
} from '../../../application/operators/ports.js';

const COLUMNS = `user_id as id, email, origin, created_at as "createdAt",
       email_verified_at as "emailVerifiedAt", role, closed_at as "closedAt"`;

const listUsers = statement<ListedUser>(`
select ${COLUMNS} from users
 where (:email::text is null or email = :email)
   and (:before_at::timestamptz is null or (created_at, user_id) < (:before_at, :before_id::uuid))
 order by created_at desc, user_id desc limit :limit`);

const findUser = statement<CountedUser>(`
select ${COLUMNS},
       (select count(*)::int from sessions s where s.user_id = u.user_id) as sessions,
       (select count(*)::int from api_keys k where k.user_id = u.user_id) as "apiKeys"
  from users u where user_id = :user_id`);

export const postgresUserDirectory = (pool: pg.Pool): UserDirectory => ({
  async list({ email, before, limit }) {
    const { rows } = await listUsers(pool, {
      email: email ?? null,
      before_at: before?.createdAt ?? null,
      before_id: before?.id ?? null,
      limit,
    });
    return rows;
  },

  async find(userId) {
    return (await findUser(pool, { user_id: userId })).rows[0];
  },
});

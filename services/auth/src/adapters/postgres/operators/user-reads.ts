import { statement } from '@junction/eventsourcing/postgres';
import { moment, query } from '@junction/service';
import { z } from 'zod';
import { maskedEmail } from '../../masked-email.js';

const fields = {
  id: z.uuid(),
  masked_email: z.string().nullable(),
  origin: z.string(),
  created_at: moment,
  role: z.enum(['user', 'operator']),
  email_verified: z.boolean(),
  closed_at: moment
    .nullable()
    .describe(
      'Time at which the user deleted the account, which can be brought back for 72 hours.',
    ),
};
const listed = z.object(fields).meta({ id: 'ListedUser' });
const counted = z.object({
  ...fields,
  counts: z.object({ sessions: z.int(), api_keys: z.int() }),
});

/** Row with the address that is masked before it is shown. */
type Unmasked<Item> = Omit<Item, 'masked_email'> & { readonly email: string | null };

const masked = <Row extends { readonly id: string; readonly email: string | null }>({
  id,
  email,
  ...row
}: Row) => ({ id, masked_email: email && maskedEmail(email), ...row });

const COLUMNS = `user_id as id, email, coalesce(origin, 'password') as origin, created_at, role,
       email_verified_at is not null as email_verified, closed_at`;

/** Users, the newest first. */
export const users = query(
  listed,
  statement<Unmasked<z.input<typeof listed>>>(`
select ${COLUMNS} from users
 where (:email::text is null or email = :email)
   and (:role::text is null or role = :role and closed_at is null)
   and (:before_at::timestamptz is null or (created_at, user_id) < (:before_at, :before_id::uuid))
 order by created_at desc, user_id desc limit :limit`),
  masked,
);

export const userWithCounts = query(
  z.object({ user: counted }),
  statement<Unmasked<z.input<typeof counted>>>(`
select ${COLUMNS},
       json_build_object(
         'sessions', (select count(*) from sessions s where s.user_id = u.user_id),
         'api_keys', (select count(*) from api_keys k where k.user_id = u.user_id)) as counts
  from users u where user_id = :user_id`),
  (row) => ({ user: masked(row) }),
);

const operator = z
  .object({ user_id: z.uuid(), masked_email: z.string().nullable() })
  .meta({ id: 'Operator' });

/** Users who may call the operators' routes, the oldest account first. */
export const operators = query(
  operator,
  statement<{ id: string; email: string | null }>(`
select user_id as id, email from users where role = 'operator' and closed_at is null
 order by created_at, user_id`),
  ({ id, email }) => ({ user_id: id, masked_email: email && maskedEmail(email) }),
);

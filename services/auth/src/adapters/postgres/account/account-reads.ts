import { statement } from '@junction/eventsourcing/postgres';
import { moment, query } from '@junction/service';
import { z } from 'zod';
import { HAS_FACTOR } from '../factor-state.js';

export const troubleMails = z
  .boolean()
  .describe('Whether mails tell of webhooks and connections that need the user.');

const fields = {
  id: z.uuid(),
  email: z.string().nullable().describe('null: a trusted issuer knows it.'),
  email_verified: z.boolean(),
  created_at: moment,
  role: z.enum(['user', 'operator']),
  origin: z.string().describe('`password`, or the id of the issuer whose user this is.'),
  has_password: z.boolean(),
  trouble_mails: troubleMails,
  first_steps_closed: z
    .boolean()
    .describe('Whether the first steps in the dashboard were closed, for good.'),
};

const COLUMNS = `user_id as id, email, email_verified_at is not null as email_verified, created_at, role,
       coalesce(origin, 'password') as origin, origin is null as has_password, trouble_mails,
       exists (select from first_steps_closed f where f.user_id = u.user_id) as first_steps_closed`;

/** The account of a user. */
export const user = query(
  z.object(fields),
  statement(`select ${COLUMNS} from users u where user_id = :user_id`),
);

const userWithFactors = z
  .object({
    ...fields,
    second_factor: z.boolean(),
    passkeys: z.int(),
    sends_mail: z
      .boolean()
      .describe(
        'Whether this installation sends mail. Without it a deletion cannot be taken back.',
      ),
  })
  .meta({ id: 'User' });

/** The account of a user, with the number of its second factors. `sends_mail` is of the installation. */
export const me = query(
  z.object({ user: userWithFactors }),
  statement<z.input<typeof userWithFactors>>(`
select ${COLUMNS}, passkeys, :sends_mail::boolean as sends_mail,
       ${HAS_FACTOR} as second_factor
  from users u,
       lateral (select count(*)::int as passkeys from passkeys p where p.user_id = u.user_id) counted
 where user_id = :user_id`),
  (user) => ({ user }),
);

import { apiKeyPrefix } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { statement } from '@junction/eventsourcing/postgres';
import { moment, query } from '@junction/service';
import { z } from 'zod';

const LIST_MAX = 1_000;

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()).readonly(),
    created_at: moment,
    expires_at: moment.nullable(),
    previous_valid_until: moment
      .nullable()
      .describe('Time until which the secret before the newest one counts.'),
    last_used_at: moment.nullable().describe('To the minute.'),
  })
  .meta({ id: 'ApiKey' });

const SELECT = `
select key_id as id, name, scopes, created_at, expires_at, previous_valid_until, last_used_at
  from api_keys left join api_key_uses using (key_id) where user_id = :user_id`;
const ORDER = `order by created_at desc, key_id desc limit ${LIST_MAX}`;

/** The keys of a user, the newest first. */
export const apiKeys = query(apiKey, statement(`${SELECT} ${ORDER}`));

/** The key of a user with an id. */
export const ownKey = {
  read: query(apiKey, statement(`${SELECT} and key_id = :id`)),
  missing: () => new AppError('api_key_not_found', 'You have no API key with this id.'),
};

/** The traits by which an owner knows a key again before the password is reset. */
export const knownApiKeys = query(
  z.object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The key begins with it.'),
    last_used_at: moment.nullable(),
  }),
  statement<z.input<typeof apiKey>>(`${SELECT} ${ORDER}`),
  ({ id, name, last_used_at }) => ({ id, name, prefix: apiKeyPrefix(id), last_used_at }),
);

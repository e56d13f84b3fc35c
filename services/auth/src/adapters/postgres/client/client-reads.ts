import { statement } from '@junction/eventsourcing/postgres';
import { moment, query } from '@junction/service';
import { z } from 'zod';

const LIST_MAX = 1_000;

const client = z
  .object({
    client_id: z.string(),
    name: z.string(),
    grants: z.array(z.object({ audience: z.string(), scopes: z.array(z.string()).readonly() })),
    created_at: moment,
    key_ids: z.array(z.string()).readonly().describe('`kid` of each of its keys.'),
    secrets: z.int().describe('Number of secrets that count: two while one is replaced.'),
    previous_valid_until: moment
      .nullable()
      .describe('Time at which the older one of two secrets ends.'),
  })
  .meta({ id: 'RegisteredClient' });

/** Clients that operators registered, the newest first. */
export const registeredClients = query(
  client,
  statement(`
select client_id, name, grants, created_at,
       coalesce(array(select key ->> 'kid' from jsonb_array_elements(jwks -> 'keys') key), '{}') as key_ids,
       (select count(*)::int from client_secrets s where s.client_id = c.client_id
           and (valid_until is null or valid_until > now())) as secrets,
       (select max(valid_until) from client_secrets s where s.client_id = c.client_id
           and valid_until > now()) as previous_valid_until
  from clients c order by created_at desc, client_id desc limit ${LIST_MAX}`),
);

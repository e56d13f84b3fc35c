import { statement } from '@junction/eventsourcing/postgres';
import { moment, query } from '@junction/service';
import { z } from 'zod';

/** A user may have as many webhooks as the dispatcher allows: a thousand, unless its operator says otherwise. */
const LISTED_MAX = 1_000;

/** The live webhooks of a user, as far as they are known here, the newest first. */
export const knownWebhooks = query(
  z.object({
    id: z.string(),
    events: z.array(z.string()).readonly(),
    created_at: moment,
    changed_at: moment.describe(
      'Time of its making, or of the last change of its address, kinds, secret or headers.',
    ),
  }),
  statement(`
select webhook_id as id, events, made_at as created_at, changed_at
  from webhooks where user_id = :user_id order by made_at desc, webhook_id limit ${LISTED_MAX}`),
);

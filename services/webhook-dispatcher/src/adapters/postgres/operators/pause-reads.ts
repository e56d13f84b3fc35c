import { moment, query } from '@junction/service';
import { z } from 'zod';
import { statement } from '../statement.js';

/** Hosts and users that operators have paused, the latest first. */
export const sendingPauses = query(
  z
    .object({ host: z.string().nullable(), user_id: z.uuid().nullable(), paused_at: moment })
    .meta({ id: 'SendingPause' }),
  statement(
    'sending_pauses',
    'select host, user_id, paused_at from sending_pauses order by paused_at desc limit :limit',
  ),
);

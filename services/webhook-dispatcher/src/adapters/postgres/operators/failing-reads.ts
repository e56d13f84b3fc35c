import { moment, query } from '@junction/service';
import { z } from 'zod';
import { hostOf } from '../../../domain/webhook/href.js';
import { marks, webhookState } from '../../wire-fields.js';
import { MARKS } from '../marks.js';
import { STATUS } from '../sending-pauses.js';
import { statement } from '../statement.js';
import { STATE } from '../webhook-state.js';

const host = z.string().describe('Host of its url.');

/** Shows the host of a webhook in place of its url. */
const withHost = <Row extends { readonly url: string }>({ url, ...row }: Row) => ({
  ...row,
  host: hostOf(url),
});

type Unshown<Item> = Omit<Item, 'host'> & { readonly url: string };

/** Waiting deliveries are counted up to here: of one webhook, and over a whole list, each up to an equal share. */
const WAITING_MAX = 10_000;
const WAITING_OF_ALL_MAX = 100_000;
const WAITING = `least(${WAITING_MAX}, ${WAITING_OF_ALL_MAX} / :limit::int)`;

/** Failing webhooks that are looked at to find the users who have most. */
const FAILING_MAX = 10_000;

const failingWebhook = z.object({
  webhook_id: z.string(),
  user_id: z.uuid(),
  status: z.string(),
  state: webhookState,
  host,
  failing_since: moment,
  last_failed_at: moment,
  reason: z.string().describe('A code, of the last attempt.'),
  waiting: z
    .int()
    .describe('Counted up to 10,000, in a list of more than ten up to 100,000 / `limit`.'),
  probe_at: moment.nullable().describe('null: its circuit is closed.'),
  marks,
});

/** Failing webhooks, those that have failed for longest first. `user_id` null: of all users. */
// Planned each time, because all users and one are found by different indexes.
export const failingWebhooks = query(
  failingWebhook,
  statement<Unshown<z.input<typeof failingWebhook>>>(
    null,
    `select w.webhook_id, w.user_id, ${STATUS} as status, ${STATE} as state, w.url, f.since as failing_since, f.last_at as last_failed_at, f.reason,
            (select count(*)::int from (
               select from pending p where p.webhook_id = f.webhook_id limit ${WAITING}) counted) as waiting,
            c.probe_at, ${MARKS} as marks
       from failing_webhooks f join webhooks w on w.webhook_id = f.webhook_id
       left join lateral (select webhook_id, probe_at from circuits c where c.webhook_id = w.webhook_id limit 1) c on true
      where :user_id::uuid is null or w.user_id = :user_id
      order by f.since limit :limit`,
    { webhook_id: 'wh' },
  ),
  withHost,
);

/** Users with failing webhooks, those with most of them first, of the 10,000 that have failed for longest. */
export const failingUsers = query(
  z
    .object({
      user_id: z.uuid(),
      failing: z.int().describe('Webhooks whose last attempt failed.'),
      webhooks: z.int().describe('All that are not deleted.'),
      failing_since: moment.describe(
        'Start of the failures of the webhook that has failed for longest.',
      ),
    })
    .meta({ id: 'FailingUser' }),
  statement(
    'operators_failing_users',
    `with failing as (
       select w.user_id, count(*)::int as failing, min(f.since) as failing_since
         from (select webhook_id, since from failing_webhooks order by since limit ${FAILING_MAX}) f
              cross join lateral (select user_id from webhooks where webhook_id = f.webhook_id limit 1) w
        group by w.user_id order by 2 desc, 3 limit :limit)
     select user_id, failing, failing_since,
            (select count(*)::int from webhooks w where w.user_id = failing.user_id) as webhooks
       from failing order by failing desc, failing_since`,
  ),
);

const circuit = z
  .object({
    webhook_id: z.string(),
    user_id: z.uuid(),
    host,
    state: z.string().describe('open, or half_open: the probe is due'),
    opened_at: moment,
    probe_at: moment,
  })
  .meta({ id: 'OpenCircuit' });

/** Open circuits, in the order in which their probes are due. */
export const openCircuits = query(
  circuit,
  statement<Unshown<z.input<typeof circuit>>>(
    'operators_circuits',
    `select webhook_id, w.user_id, w.url, c.opened_at, c.probe_at,
            case when c.probe_at > now() then 'open' else 'half_open' end as state
       from circuits c join webhooks w using (webhook_id)
      order by c.probe_at limit :limit`,
    { webhook_id: 'wh' },
  ),
  withHost,
);

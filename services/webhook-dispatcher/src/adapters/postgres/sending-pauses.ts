import type { WebhookOwner } from '../../application/unit-of-work.js';
import type { Paused } from '../../application/webhooks/ports.js';
import { all, table } from './statement.js';

/** Host of the url of a webhook `w`, as it is shown. An index has it. */
const HOST = `substring(w.href from '^[a-z]+://([^/?#]*)')`;

/** True of a webhook `w` whose user or host an operator has paused. */
export const PAUSED_BY_OPERATOR = `
(exists (select from sending_pauses s where s.user_id = w.user_id)
 or exists (select from sending_pauses s where s.host = ${HOST}))`;

/** Status of a webhook `w`: it is paused, too, while an operator has paused its user or host. */
export const STATUS = `case when w.status = 'active' and ${PAUSED_BY_OPERATOR} then 'paused' else w.status end`;

// The rows of the webhooks are touched, so that every replica looks at them again.
const touching = (name: string, change: string) =>
  all<Paused, WebhookOwner>(
    name,
    `with changed as (${change} returning host, user_id)
     update webhooks w set webhook_id = w.webhook_id
      where exists (select from changed) and w.webhook_id = any (array(
        select webhook_id from webhooks w where w.user_id = :userId
         union all
        select webhook_id from webhooks w where :host::text is not null and ${HOST} = :host))
     returning w.webhook_id as "webhookId", w.user_id as "userId"`,
    { webhookId: 'wh' },
  );

/** Pauses by operators. Each change returns the webhooks that it is about; none: it had been made before. */
export const pauseTable = table({
  pause: touching(
    'pause_sending',
    'insert into sending_pauses (host, user_id) values (:host, :userId) on conflict do nothing',
  ),
  resume: touching(
    'resume_sending',
    'delete from sending_pauses where host is not distinct from :host and user_id is not distinct from :userId',
  ),
});

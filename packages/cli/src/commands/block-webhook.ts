import type { OperatorVerb } from '../verbs.js';

const operate = (name: string, about: string, enabled: boolean): OperatorVerb => ({
  name,
  about: `for operators: ${about}`,
  args: [['<webhook>', 'wh_…, of any user']],
  examples: [`webhooks ${name} wh_0199…`],
  only: 'webhooks',
  async write({ ops, show }, [id = '']) {
    const path = '/api/ops/webhook-dispatcher/webhooks/{webhook_id}';
    const init = { params: { path: { webhook_id: id } }, body: { enabled } };
    const webhook = await ops.patch(path, init);
    const { user_id: user, status, disabled_reason: reason } = webhook;
    const by = reason === null ? '' : ` (${reason})`;
    show(webhook, `${id} of user ${user} is ${status}${by}.\n`);
  },
});

/** `junction webhooks block` */
export const block = operate('block', 'disable a webhook; its owner cannot enable it', false);

/** `junction webhooks unblock` */
export const unblock = operate('unblock', 'end that; it is as its owner had it', true);

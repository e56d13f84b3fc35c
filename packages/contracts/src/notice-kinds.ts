import { z } from 'zod';

const occurredAt = z.iso.datetime();
const webhook = { webhook_id: z.string().min(1), occurred_at: occurredAt };
const integration = {
  provider: z.string().min(1),
  integration_id: z.string().min(1),
  identity_provider: z.string().min(1),
  /** Name of the account, as a person would say it. */
  account: z.string(),
  occurred_at: occurredAt,
};

/**
 * Schemas for `data` of our own notices: the records of user.events.v1, which only our services write. Notices are
 * opt-in: a webhook that does not name a kind of notice never gets one of that kind.
 */
export const noticeSchemas = {
  'webhook.disabled': z.looseObject({ ...webhook, reason: z.enum(['gone_410', 'failing']) }),
  'webhook.failing': z.looseObject({ ...webhook, since: occurredAt, reason: z.string().min(1) }),
  'webhook.exhausted': z.looseObject({
    ...webhook,
    delivery_id: z.string().min(1),
    message_id: z.string().min(1),
    event_type: z.string().min(1),
    attempts: z.int().positive(),
    reason: z.string().min(1),
  }),
  'webhook.refused': z.looseObject({ ...webhook, reason: z.string().min(1) }),
  'webhook.recovered': z.looseObject(webhook),
  'integration.connected': z.looseObject(integration),
  'integration.degraded': z.looseObject({ ...integration, reason: z.string().min(1) }),
  'integration.recovered': z.looseObject(integration),
  'integration.reconnect_required': z.looseObject({ ...integration, reason: z.string().min(1) }),
  'integration.disconnected': z.looseObject({ ...integration, reason: z.string().min(1) }),
} as const satisfies Record<string, z.ZodType>;

/** The kinds of notice we write about a user's own webhooks and integrations. */
export type NoticeKind = keyof typeof noticeSchemas;

export type NoticeData<Kind extends NoticeKind> = z.infer<(typeof noticeSchemas)[Kind]>;

export const isNoticeKind = (text: string): text is NoticeKind =>
  Object.hasOwn(noticeSchemas, text);

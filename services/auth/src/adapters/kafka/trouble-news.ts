import {
  decodeDomainEvent,
  HOST_HEADER,
  noticeSchemas,
  oneLine,
  USER_TOPIC,
  validateUserEvent,
} from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import type { OwnedNews } from '../../application/trouble/ports.js';

export const WEBHOOKS_TOPIC = 'webhooks.events.v1';

/** Topics of notices, and of what owners and operators do with webhooks, which is no notice. */
export const TROUBLE_TOPICS: readonly string[] = [USER_TOPIC, WEBHOOKS_TOPIC];

/** Keeps news in a transaction, and returns whether a mail may be due. */
export type HearNews = (tx: pg.PoolClient, news: readonly OwnedNews[]) => Promise<boolean>;

/** Hears of webhooks and connections that need their user, in the transaction of the records. */
export const onTroubleNews =
  (hear: HearNews, onHeard: () => void) =>
  async (
    records: readonly InboundRecord[],
    tx: pg.PoolClient,
  ): Promise<(() => void) | undefined> => {
    const news = records.flatMap((record) => newsIn(record) ?? []);
    return (await hear(tx, news)) ? onHeard : undefined;
  };

/** Finds what a record says of a webhook or a connection that needs its user, or does not any more. Others pass by. */
export const newsIn = (record: InboundRecord): OwnedNews | undefined =>
  record.topic.endsWith(WEBHOOKS_TOPIC) ? newsOfChange(record) : newsOfNotice(record);

function newsOfChange({ headers, value }: InboundRecord): OwnedNews | undefined {
  const type = headers['ce_type'];
  if (type !== 'webhook.enabled' && type !== 'webhook.disabled' && type !== 'webhook.deleted')
    return;
  const event = decodeDomainEvent(type, value ?? Buffer.alloc(0));
  const { webhookId: about, userId, occurredAt: at = new Date(0) } = event;
  const reason = 'reason' in event ? event.reason : undefined;
  if (reason === 'operator') return { about, userId, kind: 'webhook_blocked', at };
  const over = { about, userId, kind: 'over', at } as const;
  // A notice follows where we disabled it ourselves, but not where an operator brings that back.
  return reason === 'gone_410' || reason === 'failing'
    ? { ...over, after: 'webhook_blocked' }
    : over;
}

const NAME_CHARS_MAX = 100;

const KINDS = [
  'webhook.failing',
  'webhook.disabled',
  'webhook.recovered',
  'integration.reconnect_required',
  'integration.connected',
  'integration.recovered',
  'integration.disconnected',
] as const;
type Kind = (typeof KINDS)[number];

function newsOfNotice(record: InboundRecord): OwnedNews | undefined {
  const type = KINDS.find((kind) => kind === record.headers['ce_type']);
  if (type === undefined) return undefined;
  const verdict = validateUserEvent(record);
  if (!verdict.ok) throw new RecordError(verdict.code, verdict.reason);
  const data = noticeSchemas[type].parse(JSON.parse(verdict.event.data.toString()));
  const about = 'webhook_id' in data ? data.webhook_id : data.integration_id;
  const at = new Date(data.occurred_at);
  const named = 'account' in data ? String(data.account) : record.headers[HOST_HEADER];
  const name = oneLine(named ?? '', NAME_CHARS_MAX) || undefined;
  const { userId } = verdict.event;
  return { about: String(about), userId, name, kind: kindOf(type, data), at };
}

function kindOf(type: Kind, data: object): OwnedNews['kind'] {
  switch (type) {
    case 'webhook.failing':
      return 'webhook_failing';
    case 'webhook.disabled':
      return 'reason' in data && data.reason === 'gone_410' ? 'webhook_gone' : 'webhook_disabled';
    case 'integration.reconnect_required':
      return 'provider' in data && data.provider === 'calendar' ? 'calendar_lost' : 'mailbox_lost';
    case 'webhook.recovered':
    case 'integration.connected':
    case 'integration.recovered':
    case 'integration.disconnected':
      return 'over';
  }
}

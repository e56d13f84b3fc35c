import { AppError } from '@junction/errors';
import { commandHandler, type EventStore, type RecordedEvent } from '@junction/eventsourcing';
import { insertOutbox, type PostgresEventStore } from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import pg from 'pg';
import type { HandleWebhook } from '../../../application/application.js';
import { webhookDecider } from '../../../domain/webhook/decider.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import { noticesOf } from '../../kafka/notices.js';
import { endRestAfter } from '../sending/circuit-rests.js';
import { settlePending } from '../sending/settle-pending.js';
import { forgiveAfter, requireFailing } from './failing-webhooks.js';
import { keepHeaders } from './webhook-headers.js';
import { keepWithinLimit } from './webhook-limit.js';
import { keepSecrets } from './webhook-secrets.js';

const UNIQUE_VIOLATION = '23505';
const HREF_KEY = 'webhooks_user_id_href_key';

export const webhookStream = (webhookId: string): string => `webhook-${webhookId}`;

/** Events, read model, what is sealed beside them and the first of what waits: in one transaction. */
export const webhookCommands =
  (
    store: PostgresEventStore<WebhookEvent>,
    vault: Vault,
    webhooksPerUserMax: number,
  ): HandleWebhook =>
  async (webhookId, command, { secret, headers } = {}) => {
    const isChange = command.type === 'ConfigureWebhook' || command.type === 'ChangeWebhook';
    const newSecret = isChange && command.data.secret !== 'set' ? undefined : secret;
    const handle = commandHandler(
      alongside(store, async (tx, appended) => {
        const events = appended.map(({ event }) => event);
        await keepWithinLimit(tx, events, webhooksPerUserMax);
        await keepSecrets(tx, vault, webhookId, events, newSecret);
        await keepHeaders(tx, vault, webhookId, events, headers);
        // Before what waits is locked: those who write results lock in this order too.
        await forgiveAfter(tx, webhookId, events);
        await requireFailing(tx, webhookId, events);
        await settleAfter(tx, webhookId, events);
        await endRestAfter(tx, webhookId, events);
        await insertOutbox(
          tx,
          appended.flatMap(({ event, eventId }) => noticesOf(webhookId, command, event, eventId)),
        );
      }),
      webhookDecider,
    );
    await handle(webhookStream(webhookId), command).catch((error: unknown) => {
      throw isTakenHref(error) ? urlTaken(error) : error;
    });
  };

/** The store, with more rows written in the transaction of each append. */
const alongside = (
  store: PostgresEventStore<WebhookEvent>,
  write: (tx: pg.PoolClient, events: readonly RecordedEvent<WebhookEvent>[]) => Promise<void>,
): EventStore<WebhookEvent> => ({
  load: async (streamId, afterVersion) => store.load(streamId, afterVersion),
  recall: async (commandId, streamIds) => store.recall(commandId, streamIds),
  append: async (appends, context = {}) =>
    store.transact(appends, context, async (tx, appended) => {
      if (!appended.repeated) await write(tx, appended.events);
      return appended;
    }),
});

/** What waits for a webhook ends with it. One batch here; the dispatcher goes on with the rest. */
export async function settleAfter(
  tx: pg.ClientBase,
  webhookId: string,
  events: readonly WebhookEvent[],
): Promise<void> {
  const last = events.findLast(({ type }) => type !== 'webhook.circuit_closed');
  if (last?.type === 'webhook.disabled') await settlePending(tx, webhookId, 'held');
  if (last?.type === 'webhook.deleted') await settlePending(tx, webhookId, 'cancelled');
}

const isTakenHref = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError &&
  error.code === UNIQUE_VIOLATION &&
  error.constraint === HREF_KEY;

const urlTaken = (cause: unknown) =>
  new AppError('conflict', 'webhook_url_taken', 'Another webhook of yours has this url already.', {
    cause,
    fields: [{ field: 'url', code: 'url_taken', message: 'Another webhook of yours has it.' }],
  });

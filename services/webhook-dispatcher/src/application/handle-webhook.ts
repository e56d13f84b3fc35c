import { commandHandler } from '@junction/eventsourcing';
import type { CustomHeaders } from '../domain/webhook/custom-headers.js';
import { type WebhookCommand, webhookDecider } from '../domain/webhook/decider.js';
import type { WebhookEvent } from '../domain/webhook/events.js';
import { closeCircuit } from './close-circuit.js';
import { webhookStream } from './streams.js';
import type { Transaction, WebhookOwner } from './unit-of-work.js';

/** Context of a command. */
export interface WebhookContext extends Confidential {
  /** Versions of the webhook that the command is for. For any other: AppError `precondition_failed`. */
  readonly ifVersion?: readonly number[] | undefined;
}

/** Values that a command sets and that no event may hold. */
export interface Confidential {
  /** Present only when the command sets a secret. */
  readonly secret?: string | undefined;
  readonly headers?: CustomHeaders | undefined;
}

/** Handles a command, and brings the tables beside the events of the webhook up to date. */
export async function handleWebhook(
  tx: Transaction,
  webhookId: string,
  command: WebhookCommand,
  { ifVersion, ...confidential }: WebhookContext = {},
): Promise<readonly WebhookEvent[]> {
  const handle = commandHandler(tx.events, webhookDecider);
  const { events } = await handle(webhookStream(webhookId), command, { ifVersion });
  for (const event of events) await follow(tx, webhookId, event, confidential);
  // The delivery that heads the queue of an ordered webhook is due now: it was never sent to the new version.
  if (events.length > 0) await tx.pending.headNow(webhookId);
  return events;
}

/** Follows one event. Failures are deleted before what waits is locked: results are written in this order too. */
async function follow(
  tx: Transaction,
  webhookId: string,
  event: WebhookEvent,
  { secret, headers }: Confidential,
): Promise<void> {
  const webhook = { webhookId, userId: event.data.userId };
  switch (event.type) {
    case 'webhook.configured':
      if (secret === undefined) return;
      return tx.secrets.replace(webhook, event.data.secretVersion, secret);

    case 'webhook.updated':
      return followUpdate(tx, webhook, event.data, secret);

    case 'webhook.options_changed': {
      const { headerNames, headersVersion } = event.data;
      if (headerNames.length === 0) return tx.headers.delete(webhookId);
      if (headers === undefined) return;
      return tx.headers.replace(webhook, headersVersion, headers);
    }

    case 'webhook.secret_rotated': {
      if (secret === undefined) throw new Error('A rotation without the secret to rotate to.');
      const { secretVersion: version, previousExpiresAt } = event.data;
      return tx.secrets.rotate(webhook, { version, previousExpiresAt }, secret);
    }

    case 'webhook.enabled':
      return startAnew(tx, webhookId, event.data.at);

    case 'webhook.disabled':
      await tx.pending.end(webhookId, 'held');
      return;

    case 'webhook.deleted':
      await tx.pending.end(webhookId, 'cancelled');
  }
}

type Updated = Extract<WebhookEvent, { type: 'webhook.updated' }>['data'];

async function followUpdate(
  tx: Transaction,
  webhook: WebhookOwner,
  { url, hasSecret, secretVersion, at }: Updated,
  secret: string | undefined,
): Promise<void> {
  const { webhookId } = webhook;
  // A configured secret takes effect at once, and the old ones are deleted.
  if (!hasSecret) await tx.secrets.delete(webhookId);
  else if (secret !== undefined) await tx.secrets.replace(webhook, secretVersion, secret);
  if (url !== undefined) await startAnew(tx, webhookId, at);
}

/**
 * Deletes the failures and closes the circuit: what was learned about another url, or before the owner had the receiver
 * mended, says nothing about the webhook now.
 */
async function startAnew(tx: Transaction, webhookId: string, at: string): Promise<void> {
  await tx.failing.delete({ webhookId });
  await closeCircuit(tx, webhookId, new Date(at));
}

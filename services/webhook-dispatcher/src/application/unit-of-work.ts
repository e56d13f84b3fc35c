import type { DomainEventMessage, NoticeData, NoticeKind } from '@junction/contracts';

type Adapter = typeof import('../adapters/postgres/unit-of-work.js');

/** Transactions in which commands are issued and tables are written. */
export type UnitOfWork = ReturnType<Adapter['postgresUnitOfWork']>;
/** Events and tables within one transaction, as their statements have them. */
export type Transaction = ReturnType<Adapter['transactionOn']>;

/** A webhook and the user whose key seals what is stored beside it. */
export interface WebhookOwner {
  readonly webhookId: string;
  readonly userId: string;
}

export interface OpenCircuit {
  readonly userId: string;
  readonly openedAt: Date;
}

/** Attempt that is made now. */
export interface DueAttempt {
  /** dlv_… */
  readonly deliveryId: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Size of the body as it is stored. */
  readonly bytes: number;
}

/** End of the deliveries that wait for a webhook: held while it is disabled, cancelled when it is deleted. */
export type Ending = 'held' | 'cancelled';

interface Identified {
  /** Id of the message, the same when it is written again: readers drop the second. */
  readonly id: string;
}

export type WebhookRecord = {
  readonly [Type in 'webhook.circuit_opened' | 'webhook.circuit_closed' | 'delivery.exhausted']: {
    readonly type: Type;
    readonly message: DomainEventMessage<Type>;
  };
}['webhook.circuit_opened' | 'webhook.circuit_closed' | 'delivery.exhausted'] &
  Identified;

type NoticeOfWebhook = Extract<NoticeKind, `webhook.${string}`>;

export type WebhookNotice = {
  readonly [Kind in NoticeOfWebhook]: { readonly kind: Kind; readonly data: NoticeData<Kind> };
}[NoticeOfWebhook] &
  Identified & { readonly userId: string };

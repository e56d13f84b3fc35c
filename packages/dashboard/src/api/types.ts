// Requests and answers of the API, as its document describes them (packages/docs/openapi.json).
import type { Answer, Body, Init, Schemas } from '@junction/client';

export type { Answer, Body, Schemas };

export type User = Schemas['User'];
export type SecondFactors = Schemas['SecondFactors'];
/** A sign-in that goes on. */
export type Session = Schemas['Session'];
/** Receipt for a deleted account: how many items of each kind were deleted. The receipt names nobody. */
export type DeletionReceipt = Schemas['DeletionReceipt'];
/** Session that a portal link was exchanged for. */
export type PortalSession = Schemas['PortalSession'];
export type ApiKey = Schemas['ApiKey'];
/** The effects of a reset of the password. */
export type ResetPreview = Schemas['PasswordResetPreview'];
/** A change of the account that a link takes back. */
export type AccountChange = Schemas['AccountChange'];

/** Company that keeps the accounts. */
export type IdentityProvider = Schemas['IdentityProvider'];
/** An account that was connected at least once. */
export type Integration = Schemas['Integration'];
export type IntegrationStatus = Integration['status'];
/** The kind of account. */
export type Provider = Integration['provider'];
export type HistoryItem = Schemas['IntegrationHistoryItem'];

/** The registration of this installation at an identity provider, for one kind. */
export interface Client {
  readonly identityProvider: string;
  readonly provider: Provider;
}

export type Webhook = Schemas['Webhook'];
/** Body of the request that creates a webhook. */
export type WebhookConfiguration = Body<'/api/webhooks/configure', 'post'>;
export type WebhookChanges = Body<'/api/webhooks/{id}', 'patch'>;
export type Delivery = Schemas['Delivery'];
/** Parameters of the list of deliveries. */
export type DeliveryQuery = NonNullable<
  NonNullable<Init<'/api/deliveries', 'get'>['params']>['query']
>;
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type Attempt = Schemas['Attempt'];
export type SentRequest = NonNullable<Attempt['request']>;

export type DeliveryStatus = Delivery['status'];
/** Statuses in the order of a delivery's life. */
export const DELIVERY_STATUSES = Object.keys({
  pending: 0,
  retrying: 0,
  held: 0,
  succeeded: 0,
  exhausted: 0,
  refused: 0,
  cancelled: 0,
} satisfies Record<DeliveryStatus, 0>) as readonly DeliveryStatus[];

import type { EventMetadata } from '@junction/eventsourcing';
import type {
  ConnectionEvent,
  RevocationOutcome,
  RevokedReason,
} from '../../domain/connection/events.js';
import type { RecordedRefresh } from '../refreshing/ports.js';

/** Origin of an event. `system`: this service by itself. */
export type HistoryActor = 'user' | 'provider' | 'system';

/** Event of a connection, as its user reads it. */
export interface HistoryItem {
  readonly type: ConnectionEvent['type'] | 'integration.refreshed';
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: HistoryActor;
  /** Sentences for a person: what happened, why, and what to do if there is something to do. */
  readonly detail: string;
  readonly account?: string;
  readonly grantedScopes?: readonly string[];
  readonly missingScopes?: readonly string[];
  readonly credentialVersion?: number;
  /** Expiry of the access token of this version; ISO 8601, UTC. */
  readonly expiresAt?: string;
  /** Stable code. */
  readonly reason?: string;
}

/** Describes an event in words. No part of a token is in the words, because none is in the event. */
export function historyItem(event: ConnectionEvent, actor: EventMetadata['actor']): HistoryItem {
  return {
    type: event.type,
    at: event.data.at,
    actor: actorOf(event, actor),
    detail: detailOf(event),
    ...fieldsOf(event),
  };
}

/** Describes a refresh in words. */
export const refreshItem = ({
  at,
  expiresAt,
  missingScopes,
  ...refresh
}: RecordedRefresh): HistoryItem => ({
  type: 'integration.refreshed',
  at: at.toISOString(),
  actor: 'system',
  detail: `Access was renewed. ${grantOf(missingScopes)}`,
  ...refresh,
  missingScopes,
  expiresAt: expiresAt.toISOString(),
});

/** Reasons of ends that no answer of the provider brought about. */
const OUR_REASONS = new Set(['no_refresh_token', 'refresh_token_unreadable', 'given_up']);

/** Returns the actor of an event. When we recorded what a provider did, the event names this service. */
function actorOf(event: ConnectionEvent, actor: EventMetadata['actor']): HistoryActor {
  const isTheirs =
    event.type === 'integration.degraded' ||
    event.type === 'integration.revoked' ||
    (event.type === 'integration.reconnect_required' && !OUR_REASONS.has(event.data.reason));
  if (isTheirs) return 'provider';
  return actor?.kind === 'user' ? 'user' : 'system';
}

function fieldsOf({ type, data }: ConnectionEvent): Partial<HistoryItem> {
  switch (type) {
    case 'integration.connected': {
      const { account, grantedScopes, missingScopes, credentialVersion, expiresAt } = data;
      return { account, grantedScopes, missingScopes, credentialVersion, expiresAt };
    }
    case 'integration.degraded':
    case 'integration.reconnect_required':
    case 'integration.revoked':
      return { credentialVersion: data.credentialVersion, reason: data.reason };
    case 'integration.disconnected':
      return { reason: data.reason };
    case 'integration.revocation_settled':
      return { reason: data.outcome };
    case 'integration.recovered':
    case 'integration.made_primary':
    case 'integration.deleted':
      return {};
  }
}

function detailOf({ type, data }: ConnectionEvent): string {
  switch (type) {
    case 'integration.connected':
      return `Connected ${data.account}. ${grantOf(data.missingScopes)}${
        data.renewable
          ? ''
          : ' The provider gave no refresh token: connect again when the access token has expired.'
      }`;
    case 'integration.degraded':
      return `Access could not be renewed: ${failureOf(data.reason)}. ${adviceOn(data.reason)}`;
    case 'integration.recovered':
      return 'Access can be renewed again.';
    case 'integration.reconnect_required':
      return `${refusalOf(data.reason)} Connect again to go on.`;
    case 'integration.revoked':
      return `${revocationOf(data.reason)} Connect again to go on.`;
    case 'integration.disconnected':
      return data.reason === 'user'
        ? 'Disconnected. The tokens were destroyed here, and are revoked at the provider if it supports that.'
        : 'Disconnected, because the account was deleted.';
    case 'integration.revocation_settled':
      return outcomeOf(data.outcome);
    case 'integration.made_primary':
      return 'Made the primary account: it is used when no account is named.';
    case 'integration.deleted':
      return 'Everything about the connection was deleted with the account.';
  }
}

const grantOf = (missingScopes: readonly string[]): string =>
  missingScopes.length === 0
    ? 'Everything asked for is granted.'
    : `Asked for and not granted: ${missingScopes.join(', ')}.`;

const adviceOn = (reason: string): string =>
  reason === 'account_not_allowed'
    ? 'It is tried again for three days, in which the administrator can allow it.'
    : 'It is tried again by itself; there is nothing to do.';

function refusalOf(reason: string): string {
  switch (reason) {
    case 'invalid_grant':
      return 'The provider refused to renew access: it was revoked there, or has expired.';
    case 'invalid_scope':
      return 'The provider refused to renew access: it no longer grants the permissions that were given.';
    case 'consent_required':
    case 'interaction_required':
    case 'login_required':
      return 'The provider wants you to sign in there before it renews access.';
    case 'access_denied':
      return 'The provider refused to renew access: you, or the administrator of your organisation, does not allow it.';
    case 'given_up':
      return 'For three days the provider has not renewed access, and did not say why.';
    case 'refresh_token_lost':
      return 'The answer of the provider to a refresh was lost, and it no longer accepts the old refresh token.';
    case 'refresh_token_unreadable':
      return 'The refresh token that is kept here can no longer be read.';
    case 'no_refresh_token':
      return 'The access token expired, and the provider had given no refresh token.';
    default:
      return `The provider refused to renew access (${reason}).`;
  }
}

function revocationOf(reason: RevokedReason): string {
  switch (reason) {
    case 'token_revoked':
    case 'tokens_revoked':
      return 'The provider told us that access was revoked there. The tokens were destroyed here.';
    case 'account_disabled':
      return 'The provider told us that the account is disabled there. The tokens were destroyed here.';
    case 'account_purged':
      return 'The provider told us that the account was deleted there. The tokens were destroyed here.';
    case 'inactive':
      return 'The provider was asked, and says that access is no longer valid. The tokens were destroyed here.';
  }
}

function outcomeOf(outcome: RevocationOutcome): string {
  switch (outcome) {
    case 'done':
      return 'Access was revoked at the provider too.';
    case 'unsupported':
      return 'The provider cannot be asked to revoke this access alone. If your account there still lists it, remove it there.';
    case 'failed':
      return 'Access could not be revoked at the provider: it did not do so in 90 days, or the tokens kept here could no longer be read. Remove it in your account there.';
  }
}

/** Texts for the codes of the provider's adapter; a code that is not here is shown as it is. */
const FAILURES: Readonly<Record<string, string>> = {
  timeout: 'the provider did not answer in time',
  unreachable: 'the provider could not be reached',
  not_json: 'the provider sent an answer that cannot be read',
  malformed_answer: 'the provider sent an answer that cannot be read',
  issuer_mismatch: 'the provider gives itself another name than the one it is set up under',
  invalid_client: 'the provider does not accept the credentials of this service',
  bad_client_credentials: 'the provider does not accept the credentials of this service',
  unauthorized_client: 'the provider does not accept the credentials of this service',
  account_not_allowed:
    'the provider no longer lets this account be used here; the administrator of its organisation may have decided so',
};

function failureOf(reason: string): string {
  const status = /^http_(\d{3})$/.exec(reason)?.[1];
  if (status !== undefined) return `the provider answered with HTTP ${status}`;
  const known = Object.hasOwn(FAILURES, reason) ? FAILURES[reason] : undefined;
  return known ?? `the provider answered with an error (${reason})`;
}

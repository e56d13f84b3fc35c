import type { Integration } from '../api/types.js';
import type { Tone } from '../ui/tone.js';

/** State of an integration, and what its user can do about it. */
export interface StatusWords {
  readonly tone: Tone;
  readonly label: string;
  /** Explanation of the state and of what to do; undefined when there is nothing to say. */
  readonly explanation?: string;
}

/** Fields that the words depend on. */
export type Standing = Pick<
  Integration,
  'status' | 'status_reason' | 'renewable' | 'missing_scopes'
>;

const WHOLLY = { tone: 'good', label: 'Connected' } as const;
/** Words for missing permissions; the card lists below which they are and what does not work. */
const PARTLY = { tone: 'waiting', label: 'Partly connected' } as const;

export function integrationStatus({
  status,
  status_reason: reason,
  renewable,
  missing_scopes: missing,
}: Standing): StatusWords {
  switch (status) {
    case 'active':
      return {
        ...(missing.length > 0 ? PARTLY : WHOLLY),
        ...(!renewable && { explanation: SHORT_LIVED }),
      };
    case 'degraded':
      return {
        tone: 'waiting',
        label: 'Having trouble',
        explanation: `We could not renew access: ${failureWords(reason)}`,
      };
    case 'reconnect_required':
      return {
        tone: 'bad',
        label: 'Reconnect needed',
        explanation: `${refusalWords(reason)} Until you reconnect, the assistant has no access.`,
      };
    case 'revoked':
      return {
        tone: 'bad',
        label: 'Revoked at the provider',
        explanation:
          'Access was removed in your account settings at the provider, so the assistant stopped at once. Reconnect if you did not mean to.',
      };
    case 'disconnected':
      return { ...disconnected(reason), tone: 'neutral' };
  }
}

const SHORT_LIVED = 'The provider gave us no way to renew access. Reconnect when it expires.';

/** `needed`: the assistant has no access. `useful`: it could have more, or for longer. */
export type Reconnecting = 'needed' | 'useful' | 'useless';

export function reconnecting(
  integration: Pick<Integration, 'connected' | 'status' | 'renewable' | 'missing_scopes'>,
): Reconnecting {
  const { connected, status, renewable, missing_scopes: missing } = integration;
  if (!connected) return 'needed';
  const isImpaired = status === 'degraded' || !renewable || missing.length > 0;
  return isImpaired ? 'useful' : 'useless';
}

const disconnected = (reason: Integration['status_reason']) => ({
  label: 'Disconnected',
  explanation:
    reason === 'user_deleted'
      ? 'It was disconnected when its account was deleted.'
      : 'You disconnected it here, and the assistant has had no access since.',
});

const WILL_PASS = 'We keep trying, so there is nothing for you to do.';
const NOT_YOURS = 'The operator of this installation has to fix that. We keep trying.';

/** Explains a failed refresh that may work the next time: by codes of the service, and HTTP statuses. */
function failureWords(reason: Integration['status_reason']): string {
  switch (reason ?? '') {
    case 'timeout':
      return `the provider did not answer in time. ${WILL_PASS}`;
    case 'unreachable':
      return `the provider could not be reached. ${WILL_PASS}`;
    case 'not_json':
    case 'malformed_answer':
      return `the provider's answer could not be understood. ${WILL_PASS}`;
    case 'invalid_client':
    case 'unauthorized_client':
    case 'unsupported_grant_type':
    case 'bad_client_credentials':
    case 'deleted_client':
    case 'disabled_client':
    case 'restricted_client':
    case 'org_internal':
    case 'misconfigured_application':
    case 'redirect_uri_mismatch':
    case 'no_usable_auth_method':
      return `the provider does not accept this installation (${reason}). ${NOT_YOURS}`;
    case 'account_not_allowed':
      return 'the provider does not let this account be used here any more. Ask the administrator of your organisation there. We keep trying for three days.';
    default:
      return `the provider answered with an error${reason ? ` (${reason})` : ''}. ${WILL_PASS}`;
  }
}

/** Explains why the provider will not renew access any more. */
function refusalWords(reason: Integration['status_reason']): string {
  switch (reason ?? '') {
    case 'invalid_grant':
      return 'The provider no longer accepts our access: it was revoked in your account there, or it expired.';
    case 'invalid_scope':
      return 'The provider no longer grants the permissions you gave.';
    case 'access_denied':
      return 'You, or the administrator of your organisation, does not allow us to renew access.';
    case 'given_up':
      return 'For three days the provider has not renewed access, and did not say why.';
    case 'refresh_token_lost':
      return 'An answer of the provider was lost on the way, and it no longer accepts our old token.';
    case 'refresh_token_unreadable':
      return 'The token for renewing access can no longer be read.';
    case 'no_refresh_token':
      return 'Access expired, and the provider gave us no way to renew it.';
    default:
      return `The provider refuses to renew access${reason ? ` (${reason})` : ''}.`;
  }
}

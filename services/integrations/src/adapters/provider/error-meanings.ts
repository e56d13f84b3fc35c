import type { ProviderFailure } from '../../application/provider-error.js';

/** A way in which providers say no, and its meaning to us. */
export type ErrorMeaning = readonly [
  /** A word of the answer, whatever its field and case. A pattern: part of a sentence of the answer. */
  says: string | RegExp,
  means: ProviderFailure,
  /** The stable code under which it is stored, shown and logged. */
  reason: string,
  source: string,
];

const RFC_6749 = 'RFC 6749, section 5.2';
const OPENID = 'OpenID Connect Core 1.0, section 3.1.2.6';
const AADSTS = 'https://learn.microsoft.com/entra/identity-platform/reference-error-codes';
const GOOGLE = 'https://support.google.com/accounts/answer/16668185';
const GITHUB =
  'https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors';
const SLACK = 'https://docs.slack.dev/reference/methods/oauth.v2.access';
const SALESFORCE =
  'https://help.salesforce.com/s/articleView?id=sf.remoteaccess_oauth_flow_errors.htm';
const GOOGLE_CLIENT =
  'https://developers.google.com/identity/protocols/oauth2/web-server#authorization-errors';
const AUTH0 = 'https://auth0.com/docs/api/authentication#standard-error-responses';

/**
 * The meaning of the errors of token endpoints. The first line that fits an answer counts, so what says more stands
 * before what says less.
 */
export const ERROR_MEANINGS: readonly ErrorMeaning[] = [
  // Another request with this token is under way. Salesforce says so beside invalid_grant.
  [
    /\balready being processed\b/i,
    'unavailable',
    'refresh_under_way',
    'https://help.salesforce.com/s/articleView?id=release-notes.rn_security_refresh_token_error.htm',
  ],

  // Microsoft's number says more than the word it comes with. Of a request too many, that word is invalid_grant.
  ['AADSTS50196', 'unavailable', 'slow_down', AADSTS],
  // The tenant is gone, and its accounts with it.
  ['AADSTS90002', 'refused', 'invalid_grant', AADSTS],
  // An administrator has removed, disabled or forbidden the application in one organisation, and may bring it back.
  ['AADSTS700016', 'rejected', 'account_not_allowed', AADSTS],
  ['AADSTS7000112', 'rejected', 'account_not_allowed', AADSTS],
  ['AADSTS7000229', 'rejected', 'account_not_allowed', AADSTS],
  ['admin_policy_enforced', 'rejected', 'account_not_allowed', GOOGLE],

  // The application itself is registered otherwise than it is set up here, whoever its users are. With a redirect URI
  // that is not registered, or one that a code was not made for, Microsoft says invalid_grant or invalid_request.
  ['AADSTS50011', 'misconfigured', 'redirect_uri_mismatch', AADSTS],
  ['AADSTS500112', 'misconfigured', 'redirect_uri_mismatch', AADSTS],
  ['AADSTS500113', 'misconfigured', 'redirect_uri_mismatch', AADSTS],
  // The secret, or the assertion, is wrong, has expired or is absent.
  ['AADSTS7000215', 'misconfigured', 'bad_client_credentials', AADSTS],
  ['AADSTS7000222', 'misconfigured', 'bad_client_credentials', AADSTS],
  ['AADSTS7000218', 'misconfigured', 'bad_client_credentials', AADSTS],
  ['AADSTS700027', 'misconfigured', 'bad_client_credentials', AADSTS],
  ['AADSTS700024', 'misconfigured', 'bad_client_credentials', AADSTS],
  // The application is registered as public, as a single page, for one tenant alone, or without the permissions.
  ['AADSTS700025', 'misconfigured', 'misconfigured_application', AADSTS],
  ['AADSTS9002326', 'misconfigured', 'misconfigured_application', AADSTS],
  ['AADSTS9002327', 'misconfigured', 'misconfigured_application', AADSTS],
  ['AADSTS50194', 'misconfigured', 'misconfigured_application', AADSTS],
  ['AADSTS65005', 'misconfigured', 'misconfigured_application', AADSTS],
  ['AADSTS650053', 'misconfigured', 'misconfigured_application', AADSTS],
  ['AADSTS650056', 'misconfigured', 'misconfigured_application', AADSTS],
  ['AADSTS650057', 'misconfigured', 'misconfigured_application', AADSTS],
  ['redirect_uri_mismatch', 'misconfigured', 'redirect_uri_mismatch', GOOGLE_CLIENT],
  ['invalid_redirect_uri', 'misconfigured', 'redirect_uri_mismatch', 'RFC 7591, section 3.2.2'],
  ['bad_redirect_uri', 'misconfigured', 'redirect_uri_mismatch', SLACK],
  ['org_internal', 'misconfigured', 'org_internal', GOOGLE_CLIENT],
  ['deleted_client', 'misconfigured', 'deleted_client', GOOGLE_CLIENT],
  ['disabled_client', 'misconfigured', 'disabled_client', GOOGLE_CLIENT],
  // Google's, also for a client that asks for scopes it has not registered.
  [
    'restricted_client',
    'misconfigured',
    'restricted_client',
    'https://github.com/googleworkspace/cli/issues/770',
  ],
  ['incorrect_client_credentials', 'misconfigured', 'bad_client_credentials', GITHUB],
  ['application_suspended', 'misconfigured', 'disabled_client', GITHUB],
  ['bad_client_secret', 'misconfigured', 'bad_client_credentials', SLACK],
  ['invalid_client_id', 'misconfigured', 'deleted_client', SLACK],
  ['client_secret_required', 'misconfigured', 'bad_client_credentials', SLACK],

  // The refresh token, or code, is no good any more.
  ['invalid_grant', 'refused', 'invalid_grant', RFC_6749],
  ['invalid_token', 'refused', 'invalid_grant', 'RFC 6750, section 3.1'],
  ['expired_token', 'refused', 'invalid_grant', 'RFC 8628, section 3.5'],
  // GitHub with status 200, HubSpot in capitals.
  [
    'bad_refresh_token',
    'refused',
    'invalid_grant',
    'https://github.com/orgs/community/discussions/24745',
  ],
  ['bad_verification_code', 'refused', 'invalid_grant', GITHUB],
  ['invalid_refresh_token', 'refused', 'invalid_grant', SLACK],
  ['invalid_code', 'refused', 'invalid_grant', SLACK],
  ['code_already_used', 'refused', 'invalid_grant', SLACK],
  ['token_expired', 'refused', 'invalid_grant', SLACK],
  ['token_revoked', 'refused', 'invalid_grant', SLACK],
  ['account_inactive', 'refused', 'invalid_grant', SLACK],
  ['inactive_user', 'refused', 'invalid_grant', SALESFORCE],
  ['inactive_org', 'refused', 'invalid_grant', SALESFORCE],

  // The user must sign in, or consent, once more. A refresh asks for no scopes that could be left out.
  ['consent_required', 'refused', 'consent_required', OPENID],
  ['interaction_required', 'refused', 'interaction_required', OPENID],
  ['login_required', 'refused', 'login_required', OPENID],
  ['invalid_scope', 'refused', 'invalid_scope', RFC_6749],

  // Our own client is not accepted.
  ['invalid_client', 'misconfigured', 'invalid_client', RFC_6749],
  ['unsupported_grant_type', 'misconfigured', 'unsupported_grant_type', RFC_6749],

  // The provider will take the same request later.
  [
    'temporarily_unavailable',
    'unavailable',
    'temporarily_unavailable',
    'RFC 6749, section 4.1.2.1',
  ],
  ['server_error', 'unavailable', 'server_error', 'RFC 6749, section 4.1.2.1'],
  ['internal_error', 'unavailable', 'server_error', SLACK],
  ['fatal_error', 'unavailable', 'server_error', SLACK],
  ['service_unavailable', 'unavailable', 'temporarily_unavailable', SLACK],
  ['slow_down', 'unavailable', 'slow_down', 'RFC 8628, section 3.5'],
  ['ratelimited', 'unavailable', 'slow_down', SLACK],
  ['rate_limit_exceeded', 'unavailable', 'slow_down', SALESFORCE],

  // Some providers name the failure in a sentence, beside a word that is about something else: DeviantArt beside
  // invalid_request, Atlassian beside unauthorized_client, HubSpot beside a word of its own.
  [
    /\brefresh[ _]?token (is |was |has |has been )?(invalid|expired|revoked|no longer valid)\b/i,
    'refused',
    'invalid_grant',
    'https://github.com/wix-incubator/DeviantArt-API/issues/58',
  ],
  [
    /\b(invalid|expired|revoked|unknown) refresh[ _]?token\b/i,
    'refused',
    'invalid_grant',
    'https://github.com/supaglue-labs/supaglue/pull/1935',
  ],

  // Auth0 beside unauthorized and access_denied.
  [
    /\buser (is |was |has been )?(blocked|disabled|suspended)\b/i,
    'rejected',
    'account_not_allowed',
    AUTH0,
  ],

  ['unauthorized_client', 'misconfigured', 'unauthorized_client', RFC_6749],
  ['unauthorized', 'misconfigured', 'unauthorized_client', AUTH0],
  // An authorization server says this to users who decline. At a token endpoint it is as well a firewall's word.
  ['access_denied', 'rejected', 'access_denied', 'RFC 6749, section 4.1.2.1'],
  ['unsupported_token_type', 'rejected', 'unsupported_token_type', 'RFC 7009, section 2.2.1'],
  ['invalid_request', 'rejected', 'invalid_request', RFC_6749],
];

/**
 * Returns the meaning of the texts of an answer, undefined when none of them is known. Only words of the table come
 * out: a provider's own words may hold a token.
 */
export function meaningOf(
  texts: readonly string[],
): { readonly failure: ProviderFailure; readonly reason: string } | undefined {
  const line = ERROR_MEANINGS.find(([says]) => texts.some((text) => fits(says, text)));
  return line && { failure: line[1], reason: line[2] };
}

const fits = (says: string | RegExp, text: string): boolean =>
  typeof says === 'string' ? text.toLowerCase() === says.toLowerCase() : says.test(text);

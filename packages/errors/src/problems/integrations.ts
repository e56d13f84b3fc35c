import {
  conflict,
  contended,
  forbidden,
  invalid,
  notFound,
  rateLimited,
  unavailable,
} from './problem-type.js';

/** Connecting accounts, their tokens, and what providers push about them. */
export const integrationProblems = {
  unknown_provider: notFound(
    'The path names no kind of account there is, or one that no identity provider serves here.',
    'Use `mailbox` or `calendar`. `GET /api/integrations/identity-providers` shows who serves which.',
  ),
  unknown_identity_provider: invalid(
    '`identity_provider` names none that serves this kind of account here.',
    'Use an id that `GET /api/integrations/identity-providers` lists, or leave it out for the first.',
  ),
  provider_unavailable: unavailable(
    'The identity provider did not answer as it should, did not a moment ago, or is not set up here any more; or its answer to a refresh was lost, and the token is not refreshed again before it ends. The message has its reason.',
    'Wait as long as Retry-After says and do what the message says. Where `errors` names `auth_code` (`used_up`), begin again with authorize; otherwise the same call may be made again.',
  ),
  return_to_not_allowed: invalid(
    '`return_to` is not, character for character, an address that CONNECT_RETURN_TO of this installation names.',
    'Send one of those addresses, or have an operator add yours.',
  ),
  invalid_auth_code: invalid(
    'The authorization code was used more than a minute before, is too old, belongs to somebody else, or was asked for with another client; or no authorization is waiting for one. A code works once, within ten minutes.',
    'Begin again with `GET /api/integrations/{provider}/authorize`, and send the code once.',
  ),
  invalid_state: invalid(
    'No authorization of this user waits under this `state`: it was used, is over ten minutes old, or was begun by somebody else.',
    'If the state is not the one your browser began with, stop: somebody may have sent the link. Otherwise begin again with authorize.',
  ),
  invalid_issuer: invalid(
    '`iss`, which the provider sent with the code (RFC 9207), is not the provider that was asked; or a pushed security event names another issuer.',
    'Pass on what the provider sent to the redirect URI, unchanged. Do not connect a code that came from elsewhere.',
  ),
  too_many_codes: rateLimited(
    'This user sent 20 authorization codes in ten minutes. Made-up codes would count against all users at the provider.',
    'Wait as long as Retry-After says, and begin again with authorize.',
  ),
  too_many_accounts: conflict(
    'The user has connected 50 accounts of this kind, those that ended among them. The tokens of the code are revoked.',
    'Connect an account again that was connected before.',
  ),
  integration_not_found: notFound(
    'You have no integration with this id; one of somebody else looks the same.',
    'Use an `integration_id` that `GET /api/integrations` lists.',
  ),
  integration_ended: conflict(
    'The integration was disconnected or revoked, so it cannot be made the primary one.',
    'Connect the account again.',
  ),
  not_connected: notFound(
    'The user never connected an account of this kind, or not the one that `integration_id` names.',
    'Let the user connect it.',
  ),
  disconnected: conflict(
    'The user has ended this connection. During a connect: it was ended while the code was exchanged, and the tokens of the code are revoked.',
    'Do no more work with this account. Only the user can connect it again.',
  ),
  revoked: conflict(
    'Access was revoked at the provider: by the user, by an administrator, or for a security event.',
    'There are no more tokens until the user connects again. Ask for that.',
  ),
  reconnect_required: conflict(
    'The provider takes the refresh token no longer, has not renewed access for three days though it answered, or gave no refresh token and the access token has ended. Common after a change of password, or after months without use.',
    'Ask the user to connect again. Repeating does not help.',
  ),
  missing_scope: forbidden(
    'The user has not granted all scopes that were asked for. `errors` names those that are missing.',
    'Ask for fewer scopes, or let the user connect again and grant them.',
  ),
  token_not_renewable: conflict(
    'The access token ends before `min_lifetime_s` is over, and without a refresh token there is no newer one.',
    'Ask with a shorter `min_lifetime_s`. When the token has ended, the user must connect again.',
  ),
  refresh_in_progress: unavailable(
    'The token is being refreshed, and the provider takes longer than a caller is kept waiting.',
    'Ask again in a second: the token is most likely there.',
  ),
  connection_contended: contended(
    'The connection changed again and again while a token was asked for, as when it is reconnected; or a connect by the same code takes long.',
    'Ask again.',
  ),
  stopping: unavailable(
    'The replica is being stopped, and asks providers for no more tokens.',
    'Ask again in a second: another replica answers.',
  ),
  user_deleted: conflict(
    'The account of the user was deleted, and its connections with it.',
    'Forget the user. The tokens of the code are revoked.',
  ),
  too_many_questions: rateLimited(
    'More than 20 questions a second came from one network about where an answer returns to.',
    'Wait as long as Retry-After says, and ask more slowly.',
  ),

  security_events_not_set_up: notFound(
    'No security events are taken from this identity provider for this kind of account.',
    'Operators: name its issuer of events in PROVIDERS_FILE, or stop the stream at the provider.',
  ),
  too_many_events: rateLimited(
    'More than 20 security events a second came from one network.',
    'Wait as long as Retry-After says, and send the rest.',
  ),
  invalid_key: invalid(
    'A pushed security event is signed with a key or an algorithm that its issuer does not publish (RFC 8935, section 2.4).',
    'Sign with a key of the JWK Set that the issuer publishes, by RS256, PS256, ES256 or EdDSA.',
  ),
  invalid_audience: invalid(
    'A pushed security event is for another client than ours at this provider.',
    'Send it to the receiver of that client, or correct the `aud` of the stream.',
  ),
  authentication_failed: invalid(
    'The signature of a pushed security event is not good.',
    'Send it as it was signed. If it was, the key is not the one its `kid` names.',
  ),
};

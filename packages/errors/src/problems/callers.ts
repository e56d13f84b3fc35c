import { forbidden, invalid, unauthenticated, unavailable } from './problem-type.js';

/** Problems of authentication and authorization. */
export const callerProblems = {
  unauthenticated: unauthenticated(
    'The request carries no credential: neither an Authorization header nor the cookie of a browser session. Or the account that it speaks for was deleted meanwhile.',
    'Send `Authorization: Bearer <access token or API key>`.',
  ),
  invalid_token: unauthenticated(
    'The access token has expired (it lives for ten minutes), was signed by somebody else, is for another audience, or its session has ended; or the API key is mistyped, revoked or expired; or Authorization is not of the form `Bearer …`.',
    'Get a new access token with the refresh token (`POST /api/auth/refresh`), or log in again. For an API key: compare it with the one you stored, and make a new one if it has ended.',
  ),
  invalid_api_key: unauthenticated(
    'The API key that a service asked auth about belongs to nobody, or has ended.',
    'Send a key that counts. `GET /api/auth/api-keys` lists yours.',
  ),
  insufficient_user_authentication: unauthenticated(
    'This request wants a second factor that was shown in the last 15 minutes, or of a user who has none a sign-in of the last ten minutes (RFC 9470): what it changes matters most, and a session may have been stolen.',
    'Show the second factor, or the password where there is none, at `POST /api/auth/step-up`, and repeat the request with the new token. Users of another issuer sign in there again.',
  ),
  insufficient_scope: forbidden(
    'The API key lacks the scope that this request needs, which WWW-Authenticate names; or it is a request that no API key may make. A portal, the webhook pages in the frame of another product, may reach the webhooks of its user and nothing else.',
    'Use a key with that scope, or sign in. The scopes of a key cannot be changed: make another one.',
  ),
  session_required: forbidden(
    'This needs a session here. An API key may not do it, since whoever finds one could take the account over; neither may the token of another issuer.',
    'Log in (`POST /api/auth/login`) and use the access token.',
  ),
  operator_required: forbidden(
    'Only operators may ask for this, and this user is none.',
    'Ask an operator of the installation, who can make you one with `junction operators add`.',
  ),
  second_factor_needed: forbidden(
    'Operators see and change how services are only in a session that has shown a second factor, and this one has shown none.',
    'Add an authenticator or a passkey to the account first, then sign in with it.',
  ),
  csrf_check_failed: forbidden(
    'A request with the cookies of a browser session did not show that it comes from our own pages. The message names what is missing.',
    'Programs send an Authorization header instead of cookies. Pages of ours send `X-Junction-CSRF: 1` and `application/json` from the origin of PUBLIC_URL.',
  ),
  ambiguous_cookie: invalid(
    'The request carries a session cookie more than once, so which session is meant is unknown.',
    'Delete the cookies of this site in the browser, and sign in again.',
  ),
  authentication_unavailable: unavailable(
    'Whether the credential is good cannot be found out just now, because auth or a database is away.',
    'Keep the credential, wait as long as Retry-After says and repeat the request.',
  ),
  keys_unavailable: unavailable(
    'The keys that a token is checked with could not be fetched from its issuer just now.',
    'Keep the token, wait as long as Retry-After says and repeat the request.',
  ),
  service_token_refused: unauthenticated(
    'A call that only services may make brought no service token, one that has expired, or one for another service. Tokens of users and API keys do not count there.',
    'Get a token at `POST /oauth/token` with the name of this service as `audience`, and send it as `Authorization: Bearer …`, in gRPC as metadata `authorization`.',
  ),
  scope_missing: forbidden(
    'The service token lacks the scope that this method or route needs. The message names it.',
    'Ask for the scope at `POST /oauth/token`. If it is refused there, an operator has to grant it to the client (`junction clients`).',
  ),
  service_token_unavailable: unavailable(
    'The service got no token to call another service with: auth is away, or refuses it.',
    'Wait as long as Retry-After says and repeat the request. Operators: if it stays, look at the credentials of the service (SERVICE_CLIENT_ID and its secret).',
  ),

  invalid_client: unauthenticated(
    'The token endpoint does not know the client, or its secret or assertion is wrong, used before, or for another issuer (RFC 6749, section 5.2).',
    'Compare id and secret with what was registered, and encode both before they are joined for HTTP Basic. An assertion names `iss`, `sub`, `aud`, an `exp` at most five minutes ahead, and a new `jti`.',
  ),
  unsupported_grant_type: invalid(
    'The token endpoint was asked with another `grant_type` than it has.',
    'Send `grant_type=client_credentials`. Users log in at `POST /api/auth/login`.',
  ),
  invalid_scope: invalid(
    'A scope was asked for that the client does not have for this audience. `error_description` lists those it has.',
    'Ask for fewer, or leave `scope` out to get all. Operators grant others.',
  ),
  invalid_target: invalid(
    'The client has no access to the service that `audience` names, or `audience` and `resource` name two (RFC 8707, section 2).',
    'Name one service that the client was registered for.',
  ),
};

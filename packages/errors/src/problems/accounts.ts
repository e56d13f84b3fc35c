import {
  conflict,
  forbidden,
  invalid,
  notFound,
  rateLimited,
  unauthenticated,
  unavailable,
  unprocessable,
} from './problem-type.js';

/** Accounts, signing in, second factors, and API keys. */
export const accountProblems = {
  invalid_credentials: unauthenticated(
    'The e-mail address or the password is wrong. The answer does not say which.',
    'Try again, or set a new password: `POST /api/auth/forgot-password`.',
  ),
  invalid_password: forbidden(
    'The password that this change asks for once more is wrong. The session itself is good.',
    'Ask the user for the current password. After several wrong ones it is refused for a while.',
  ),
  password_required: forbidden(
    'An account that has a password is deleted only by somebody who knows it. Its address changes to that of a mailed link only for somebody who is signed in to it or knows the password: the mailbox may be of somebody else than the account.',
    'Send `password` with `DELETE /api/auth/me` or `POST /api/auth/verify-email`; the latter takes a session of the account too. If you did not ask for the change, do nothing.',
  ),
  too_many_attempts: rateLimited(
    'Too many logins, codes, links or client secrets failed for this account or from this network, or it has registered too often. It protects against guessing: while it lasts, right passwords and codes are refused too. A right client secret or link never is.',
    'Wait as long as Retry-After says. RateLimit shows how many attempts are left. Where codes of a second factor were refused, a password that is reset by mail ends the wait.',
  ),
  email_taken: conflict(
    'An account with this e-mail address exists.',
    'Log in with it, or set a new password: `POST /api/auth/forgot-password`.',
  ),
  invalid_or_used_token: invalid(
    'The token of a mailed link is not whole, was used, is too old, or a newer mail took its place. A link verifies an address for 24 hours and resets a password for 30 minutes.',
    'Ask for a new mail, and use the link of the newest one.',
  ),
  registrant_unknown: forbidden(
    'The link of a mail shows who reads the mailbox, and not who opened the account with its address. The account may be of somebody who put in keys and webhooks of their own, so the link alone does not verify it. It still counts.',
    'Repeat `POST /api/auth/verify-email` with a session of the account or with the `password` of the registration. If you did not register, send `new_password`: the account then begins anew, and nothing of it stays.',
  ),
  email_unverified: forbidden(
    'This installation sets REQUIRE_VERIFIED_EMAIL, and the address of the account is not verified: until then it makes no API keys and connects no accounts.',
    'Open the link of the mail that came with the registration, or ask for another: `POST /api/auth/verify-email/resend`. Refresh the access token after that.',
  ),
  mail_unavailable: unavailable(
    'This installation sends no mail, because SMTP_URL is not set.',
    'Repeating does not help. An operator has to set SMTP_URL.',
  ),
  mail_server_unavailable: unavailable(
    'The mail server did not take a mail just now. Its answer is in the message.',
    'Nothing to do for users: the mail is tried again each minute for a day. Operators look at SMTP_URL.',
  ),
  mail_refused: unprocessable(
    'The mail server refused the address of a mail for good (RFC 5321, section 4.2.1).',
    'Use another address. The mail is not tried again.',
  ),
  user_not_found: notFound(
    'No user has this id, or the account was deleted.',
    'Look the id up with `junction users list`.',
  ),
  user_exists: conflict(
    'The id that was drawn for a new user is taken, which is practically impossible.',
    'Register again.',
  ),
  session_exists: conflict(
    'The id that was drawn for a new session is taken, which is practically impossible.',
    'Log in again.',
  ),
  invalid_refresh_token: unauthenticated(
    'The refresh token is unknown, too old, or was used before: each counts once, and the session ends when one comes again later than ten seconds after its first use.',
    'Log in again. Store the new refresh token of each answer, and refresh in one place at a time.',
  ),
  portal_token_invalid: unauthenticated(
    'The token of a portal link is unknown, was used, or is too old: a link counts once and for five minutes, and what follows from it for an hour. Or the service that made it may make none any more.',
    'Let the service make another link (`POST /api/portal-links`), and load the frame anew.',
  ),
  portal_origin_not_allowed: forbidden(
    'PORTAL_ORIGINS of this installation does not list the origin that is to frame the portal, or that the logo is of. Where it is empty nobody frames anything.',
    'Name an origin that is listed, or let an operator add it at auth and at the gateway.',
  ),
  receipt_not_found: notFound(
    'There is no deletion receipt with this id, or it is over 90 days old.',
    'Compare the id with the `receipt_id` that the deletion answered.',
  ),
  account_deleted: forbidden(
    'The account was deleted here. Its issuer still gives out tokens for it, and they open nothing.',
    'Nothing brings the account back. Open another one to go on.',
  ),
  account_elsewhere: forbidden(
    'The account belongs to another issuer, which keeps its address, password and second factor.',
    'Change them there.',
  ),
  user_of_another_origin: forbidden(
    'The token of a trusted issuer names a user whose account was not opened by that issuer.',
    'Let the issuer name its own users. Operators: two issuers must not hand out the same ids (`user_id_claim`).',
  ),

  issuer_not_found: notFound(
    'No issuer with this id is set up for signing in.',
    'Use an id that `GET /api/auth/sign-in-issuers` lists.',
  ),
  issuer_unavailable: unavailable(
    'The issuer that the user signs in at does not answer just now.',
    'Wait as long as Retry-After says and begin again.',
  ),
  sign_in_refused: forbidden(
    'The issuer sent the user back without signing in: access was denied, or the user called it off.',
    'Begin again, and agree to what the issuer asks.',
  ),
  sign_in_failed: invalid(
    'The answer of the issuer does not fit a sign-in that this browser began in the last ten minutes, its tokens were not valid, or they lack a scope that is required here.',
    'Begin again at `/sign-in`, in one browser. Operators: the log has the cause.',
  ),

  issuer_sign_in_needed: unauthenticated(
    'The session began at a trusted issuer, which said nothing of its user for nearly an hour. The session and its refresh token are good, and wait for it.',
    'Lead the browser to `GET /api/auth/session/issuer?next=/where/it/was`, which has the issuer asked, then refresh again.',
  ),
  issuer_session_ended: forbidden(
    'The issuer of the session was asked again, and did not say that the same user is still signed in there. So the session has ended here too.',
    'Sign in there again.',
  ),

  second_factor_required: forbidden(
    'The password is right, and the account has a second factor that has not been shown yet.',
    'Send `mfa_token` and one of the `methods` to `POST /api/auth/login/second-factor` within five minutes.',
  ),
  invalid_second_factor: unauthenticated(
    'The code or the passkey is not right, a code was used before, or the sign-in is over: it lasts five minutes and five tries.',
    'Wait for the next code, compare the clock of the device, or begin the login again.',
  ),
  no_second_factor: conflict(
    'Recovery codes stand in for a second factor, and this account has none.',
    'Add an authenticator or a passkey first.',
  ),
  totp_exists: conflict(
    'The account has an authenticator, and can have one.',
    'Remove it with `DELETE /api/auth/totp` before adding another.',
  ),
  invalid_code: invalid(
    'The code that is to confirm a new authenticator is wrong or has expired, or 15 minutes have passed.',
    'Wait for the next code and compare the clock of the device. After 15 minutes begin again.',
  ),
  invalid_passkey: invalid(
    'The new passkey does not answer a challenge of the last five minutes, or was made for another site.',
    'Ask for new options, and create it on a page of PUBLIC_URL.',
  ),
  passkey_not_found: notFound(
    'You have no passkey with this id.',
    'Use an id that `GET /api/auth/second-factors` lists.',
  ),

  api_key_not_found: notFound(
    'You have no API key with this id; one of somebody else looks the same. A revoked one cannot be rotated.',
    'Use an id that `GET /api/auth/api-keys` lists.',
  ),
  api_key_exists: conflict(
    'The id that was drawn for a new API key is taken, which is practically impossible.',
    'Ask again.',
  ),
  too_many_api_keys: conflict(
    'The user has 100 API keys, as many as there may be.',
    'Revoke one that is no longer used: `last_used_at` shows which.',
  ),
  expires_in_the_past: invalid(
    '`expires_at` of a new API key lies in the past.',
    'Send a time in the future with its offset, or leave it out.',
  ),
  expires_too_late: invalid(
    '`expires_at` of a new API key lies more than 90 days ahead, and the key is of a user of a trusted issuer.',
    'Send an earlier time, or leave it out: the key then counts for 90 days.',
  ),
};

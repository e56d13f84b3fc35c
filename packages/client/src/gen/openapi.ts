/** Made by bin/generate.mjs, with openapi-typescript, from packages/docs/openapi.json. */

export interface paths {
    readonly "/.well-known/jwks.json": {
        /**
         * Get the keys that access tokens verify with
         * @description A JWK Set (RFC 7517). Keep it for as long as Cache-Control says, and ask again for a `kid` that is not in it.
         */
        readonly get: operations["getKeys"];
    };
    readonly "/.well-known/oauth-authorization-server": {
        /**
         * Get the metadata of the token endpoint (RFC 8414)
         * @description The endpoint, and the ways in which a client may authenticate.
         */
        readonly get: operations["getAuthorizationServerMetadata"];
    };
    readonly "/api/auth/deletion-receipts/{id}": {
        /**
         * Ask how far the deletion of an account has come
         * @description The receipt names nobody. `complete` turns true once every service has said what it erased.
         */
        readonly get: operations["getDeletionReceipt"];
    };
    readonly "/oauth/token": {
        /**
         * Get an access token for a service (RFC 6749, section 4.4)
         * @description The client authenticates by HTTP Basic, by `client_secret`, or by `client_assertion`.
         */
        readonly post: operations["issueServiceToken"];
    };
    readonly "/api/auth/unsubscribe": {
        /**
         * Lead to the page that stops mails, for mail programs that open the url
         * @description Redirects to the page, which changes nothing before a person presses its button.
         */
        readonly get: operations["openUnsubscribePage"];
        /**
         * Stop mails about webhooks and connections, by the token that came with one
         * @description The url of List-Unsubscribe (RFC 8058). `PATCH /api/auth/me` turns the mails on again.
         */
        readonly post: operations["unsubscribe"];
    };
    readonly "/api/auth/sign-in-issuers": {
        /**
         * List the issuers that a browser can sign in at
         * @description The issuers of TRUSTED_ISSUERS_FILE that have a client for it, by `id` and name.
         */
        readonly get: operations["listSignInIssuers"];
    };
    readonly "/api/auth/sign-in/{id}": {
        /**
         * Send a browser to an issuer to sign in
         * @description Redirects to the issuer's authorization endpoint, with PKCE and a `state` that the browser keeps in a cookie.
         */
        readonly get: operations["beginSignInAtIssuer"];
    };
    readonly "/api/auth/session/issuer": {
        /**
         * Send a browser to the issuer of its session, which is asked again
         * @description The issuer answers without asking the user anything (`prompt=none`). The browser comes back to the page that signs in, which leads to `next`, or shows the code of the problem.
         */
        readonly get: operations["askIssuerAgain"];
    };
    readonly "/api/auth/sign-in/{id}/callback": {
        /**
         * Take a browser back from an issuer
         * @description Redirects to the page that signs in, with the code of the problem, if there is one.
         */
        readonly get: operations["finishSignInAtIssuer"];
    };
    readonly "/api/auth/register": {
        /**
         * Open an account
         * @description A mail with a link verifies the address. An address that has an account already is refused.
         */
        readonly post: operations["register"];
    };
    readonly "/api/auth/verify-email": {
        /**
         * Verify an address by the token that came by mail
         * @description The token shows who reads the mailbox; a session of the account or its `password` shows who opened it. Who did not sends `new_password`: everything of the account ends, and another begins with the address. A change of address needs the session or the password.
         */
        readonly post: operations["verifyEmail"];
    };
    readonly "/api/auth/reset-password/preview": {
        /**
         * Ask what a reset of the password will end
         * @description The token goes on counting.
         */
        readonly post: operations["previewPasswordReset"];
    };
    readonly "/api/auth/forgot-password": {
        /**
         * Have a link sent that sets a new password
         * @description Answers the same whether there is such an account or not. Asked again while the link counts, the same link is mailed. A browser that was signed in to the account is never refused.
         */
        readonly post: operations["forgotPassword"];
    };
    readonly "/api/auth/reset-password": {
        /**
         * Set a new password by the token that came by mail
         * @description Ends every session and portal, every API key unless `keep_api_keys` is true, and disables every webhook unless `keep_webhooks` is true. Where the address was never verified the account begins anew: everything of it ends, and another user has the address.
         */
        readonly post: operations["resetPassword"];
    };
    readonly "/api/auth/undo-changes/preview": {
        /**
         * List the changes of an account that the link of a mail takes back
         * @description The change that the mail is about, and those since: at most 100, the oldest first.
         */
        readonly post: operations["previewUndo"];
    };
    readonly "/api/auth/undo-changes": {
        /**
         * Take back a change of an account, and those since, by the token that came by mail
         * @description For 72 hours; a deletion, and what was changed before it, until the account ends. Factors and the address are those of before, API keys made or rotated since are revoked, webhooks made or changed since are disabled, every session and portal ends, and the password is the new one. Without a way back: recovery codes made since are deleted and those before do not return, and a revoked key stays revoked. `email_taken`: another account has got the address before, and nothing was taken back.
         */
        readonly post: operations["undoChanges"];
    };
    readonly "/api/auth/undo-changes/end-account": {
        /**
         * Delete at once an account that could be brought back, by the token that came by mail
         * @description The mail is one to the address that the account had before its address was changed; `may_end_at_once` of the preview says so.
         */
        readonly post: operations["endAccount"];
    };
    readonly "/api/auth/login": {
        /**
         * Sign in with e-mail and password
         * @description The problem `second_factor_required`, of an account that has a second factor, brings `mfa_token`, `methods` and `expires_in` for the next step.
         */
        readonly post: operations["login"];
    };
    readonly "/api/auth/login/second-factor": {
        /**
         * Show the second factor of a login
         * @description Takes the `mfa_token` of the login with a code of an authenticator, a recovery code or the answer of a passkey.
         */
        readonly post: operations["finishLogin"];
    };
    readonly "/api/auth/login/passkey": {
        /**
         * Sign in by a passkey
         * @description Takes the answer to a challenge of `authentication-options`; no password is needed.
         */
        readonly post: operations["loginByPasskey"];
    };
    readonly "/api/auth/passkeys/authentication-options": {
        /**
         * Get what a passkey has to sign
         * @description The challenge counts once and for five minutes. With an `mfa_token` it is for the passkeys of that account.
         */
        readonly post: operations["getPasskeyChallenge"];
    };
    readonly "/api/auth/refresh": {
        /**
         * Change a refresh token for new tokens
         * @description Each refresh token works once. One that is shown a second time ends its session.
         */
        readonly post: operations["refresh"];
    };
    readonly "/api/auth/session": {
        /**
         * Sign a browser in
         * @description The tokens go into cookies that no script can read.
         */
        readonly post: operations["beginBrowserSession"];
        /**
         * Sign a browser out
         * @description The session ends, and its cookies are deleted.
         */
        readonly delete: operations["endBrowserSession"];
    };
    readonly "/api/auth/session/second-factor": {
        /**
         * Show the second factor of a browser that is signing in
         * @description As for a login, with the tokens in cookies.
         */
        readonly post: operations["finishBrowserSession"];
    };
    readonly "/api/auth/session/passkey": {
        /**
         * Sign a browser in by a passkey
         * @description As for a login by a passkey, with the tokens in cookies.
         */
        readonly post: operations["beginBrowserSessionByPasskey"];
    };
    readonly "/api/auth/session/refresh": {
        /**
         * Renew the cookies of a browser
         * @description With `issuer_sign_in_needed` the cookies stay as they are: lead the browser to `/api/auth/session/issuer`.
         */
        readonly post: operations["refreshBrowserSession"];
    };
    readonly "/api/portal-links": {
        /**
         * Make a link to the webhook pages of a user, for the frame of another product
         * @description For services with the scope `portals:open`. The link counts once and for five minutes. What it opens reaches the webhooks of this user and nothing else, for an hour.
         */
        readonly post: operations["createPortalLink"];
    };
    readonly "/api/portal-links/exchange": {
        /**
         * Exchange the token of a portal link for an access token, once
         * @description The answer has the token that takes its place when the access token ends. The page of the portal does this; nobody else needs to.
         */
        readonly post: operations["openPortal"];
    };
    readonly "/api/auth/logout": {
        /**
         * End the session of the access token
         * @description Access tokens of the session count no more, on any replica, from a second later on.
         */
        readonly post: operations["logout"];
    };
    readonly "/api/auth/sessions": {
        /**
         * List the sessions of the caller
         * @description A user has at most a hundred: they are always one page.
         */
        readonly get: operations["listSessions"];
        /**
         * End all sessions but that of the caller
         * @description Browsers and programs that used those sessions have to sign in again.
         */
        readonly delete: operations["endSessions"];
    };
    readonly "/api/auth/sessions/{id}": {
        /**
         * End a session
         * @description Nothing happens where the caller has no session of this id.
         */
        readonly delete: operations["endSession"];
    };
    readonly "/api/auth/me": {
        /**
         * Get the account of the caller
         * @description Users of trusted issuers have no address here.
         */
        readonly get: operations["getMe"];
        /**
         * Delete the account and everything that belongs to it
         * @description Sessions, API keys, webhooks and connections end at once. Where the address is verified, links that are mailed to it, and to each address that a link can still bring back, bring the account back until `open_until`, and everything else ends then; otherwise it ends at once too.
         */
        readonly delete: operations["deleteAccount"];
        /**
         * Choose which mails the account gets, or close the first steps in the dashboard
         * @description Members that are left out stay.
         */
        readonly patch: operations["updateMe"];
    };
    readonly "/api/auth/export": {
        /**
         * Get everything that is kept of the account
         * @description A request counts as 20 in its caller's limit.
         */
        readonly get: operations["exportAccount"];
    };
    readonly "/api/auth/verify-email/resend": {
        /**
         * Have the mail that verifies the address sent again
         * @description Nothing is sent to an address that is verified already.
         */
        readonly post: operations["resendVerification"];
    };
    readonly "/api/auth/change-email": {
        /**
         * Ask for another address
         * @description The address changes when the mail to the new one is confirmed.
         */
        readonly post: operations["changeEmail"];
    };
    readonly "/api/auth/change-password": {
        /**
         * Change the password
         * @description Ends every other session.
         */
        readonly post: operations["changePassword"];
    };
    readonly "/api/auth/api-keys": {
        /**
         * List the API keys of the caller
         * @description A user has so few that they are always one page.
         */
        readonly get: operations["listApiKeys"];
        /**
         * Make an API key
         * @description Without `scopes` it may do everything its owner may, except what needs a session. The key of a trusted issuer’s user counts for 90 days at most, and not while its issuer has been silent for an hour.
         */
        readonly post: operations["createApiKey"];
    };
    readonly "/api/auth/api-keys/{id}": {
        /**
         * Get an API key, without its secret
         * @description The beginning of the key tells it from others.
         */
        readonly get: operations["getApiKey"];
        /**
         * Revoke an API key
         * @description The key counts no more, on any replica, from a second later on.
         */
        readonly delete: operations["revokeApiKey"];
    };
    readonly "/api/auth/api-keys/{id}/rotate": {
        /**
         * Give an API key a new secret
         * @description The old one counts for `overlap_s` seconds more, a day unless another time is given.
         */
        readonly post: operations["rotateApiKey"];
    };
    readonly "/api/auth/second-factors": {
        /**
         * Get the second factors of the caller, without what proves them
         * @description Says which factors there are, and how many recovery codes are left.
         */
        readonly get: operations["getSecondFactors"];
    };
    readonly "/api/auth/totp": {
        /**
         * Begin to set an authenticator up (RFC 6238)
         * @description The answer has the secret for the authenticator, as text and as a URI for a QR code. Nothing changes before it is confirmed.
         */
        readonly post: operations["offerTotp"];
        /**
         * Remove the authenticator
         * @description Recovery codes end with the last factor.
         */
        readonly delete: operations["removeTotp"];
    };
    readonly "/api/auth/totp/confirm": {
        /**
         * Confirm the authenticator with a code it shows
         * @description The first factor of an account ends its other sessions, and comes with recovery codes, which are shown this once.
         */
        readonly post: operations["confirmTotp"];
    };
    readonly "/api/auth/recovery-codes": {
        /**
         * Make new recovery codes; the old ones end
         * @description The codes are shown this once.
         */
        readonly post: operations["makeRecoveryCodes"];
    };
    readonly "/api/auth/step-up": {
        /**
         * Show the second factor again (RFC 9470), or the password where there is none
         * @description The access token then does what wants a recent proof: for fifteen minutes after a factor, for ten after the password.
         */
        readonly post: operations["stepUp"];
    };
    readonly "/api/auth/passkeys/registration-options": {
        /**
         * Get what a new passkey has to sign
         * @description The challenge counts once and for five minutes, for the user who asked for it.
         */
        readonly post: operations["offerPasskey"];
    };
    readonly "/api/auth/passkeys": {
        /**
         * Add a passkey
         * @description The first factor of an account ends its other sessions, and comes with recovery codes, which are shown this once.
         */
        readonly post: operations["addPasskey"];
    };
    readonly "/api/auth/passkeys/{id}": {
        /**
         * Remove a passkey
         * @description Recovery codes end with the last factor.
         */
        readonly delete: operations["removePasskey"];
    };
    readonly "/api/integrations/tokens": {
        /**
         * Get an access token of a connected account, as a worker
         * @description For workers, with a service token of the scope `tokens:read`, at the service's own port; through the gateway where TOKENS_THROUGH_GATEWAY is true. A token that ends too soon is refreshed first. Ask each time, and keep none.
         */
        readonly post: operations["getAccessToken"];
    };
    readonly "/api/integrations/tokens/report": {
        /**
         * Report an access token that a provider refused, as a worker
         * @description For workers, with a service token of the scope `tokens:read`, at the service's own port; through the gateway where TOKENS_THROUGH_GATEWAY is true. The provider is asked about it at once. A greater `credential_version` in the answer: ask for a token again.
         */
        readonly post: operations["reportUnauthorized"];
    };
    readonly "/api/integrations/stream": {
        /**
         * Follow the integrations of the caller
         * @description Server-sent events of type `integration`: each integration as it is, and again whenever it changes.
         */
        readonly get: operations["streamIntegrations"];
    };
    readonly "/api/integrations/identity-providers": {
        /**
         * List the identity providers that an account can be connected at
         * @description Each with the kinds of account that it serves.
         */
        readonly get: operations["listIdentityProviders"];
    };
    readonly "/api/integrations/{provider}/authorize": {
        /**
         * Get the address where the user consents
         * @description Send the browser to `authorization_url`. What comes back to the redirect URI is good for connect, once and for ten minutes.
         */
        readonly get: operations["beginAuthorization"];
    };
    readonly "/api/integrations/{provider}/connect": {
        /**
         * Connect an account with an authorization code
         * @description Each code works once, and only for the user who asked for the authorization.
         */
        readonly post: operations["connect"];
    };
    readonly "/api/integrations": {
        /**
         * List the integrations of the caller
         * @description Mailboxes first; of a kind the primary one first, then the oldest. Integrations that have ended stay in the list.
         */
        readonly get: operations["listIntegrations"];
    };
    readonly "/api/integrations/{integration}": {
        /**
         * Get an integration
         * @description A kind (`mailbox`, `calendar`) stands for its primary integration.
         */
        readonly get: operations["getIntegration"];
        /**
         * Disconnect an integration
         * @description The tokens are gone when this answers, and are then revoked at the provider.
         */
        readonly delete: operations["disconnectIntegration"];
    };
    readonly "/api/integrations/{integration}/history": {
        /**
         * List what happened to an integration
         * @description The newest first. Nothing of a token is in it.
         */
        readonly get: operations["listIntegrationHistory"];
    };
    readonly "/api/integrations/{integrationId}/primary": {
        /**
         * Make an integration the primary one of its kind
         * @description The primary one serves wherever its kind alone is named.
         */
        readonly post: operations["makeIntegrationPrimary"];
    };
    readonly "/api/integrations/{provider}/return-to": {
        /**
         * Ask where the answer of a provider is to be forwarded
         * @description For pages that a provider leads back to: the address that the authorization was asked for with.
         */
        readonly post: operations["getReturnTo"];
    };
    readonly "/api/integrations/{identityProvider}/{provider}/security-events": {
        /**
         * Take a security event of a provider (RFC 8935)
         * @description Answers once the event has taken effect.
         */
        readonly post: operations["receiveSecurityEvent"];
    };
    readonly "/api/webhooks/event-types": {
        /**
         * List the kinds of event that a webhook can name
         * @description The kinds of the catalogue, those of EVENT_TYPES_FILE included, each with a description and an example.
         */
        readonly get: operations["listEventTypes"];
    };
    readonly "/.well-known/webhook-keys.json": {
        /**
         * Get the keys that webhooks signed with ed25519 verify with
         * @description A JWK Set (RFC 7517). Keep it for as long as Cache-Control says, and ask again for a `kid` that is not in it.
         */
        readonly get: operations["getWebhookKeys"];
    };
    readonly "/api/webhooks/stream": {
        /**
         * Follow the attempts and replays of the caller as they happen
         * @description Server-sent events of type `delivery.attempted`, `delivery.filed` (a delivery that waits or is held), `webhook.changed` (its settings, its circuit, or what waits for it: read it again) and `operation.progressed`. It begins with `stream.opened`, which has the first id: Last-Event-ID goes on where a stream was cut off, within five minutes. One that the product does not know, as after a restore, begins anew with `stream.opened`.
         */
        readonly get: operations["streamDeliveries"];
    };
    readonly "/api/events/stream": {
        /**
         * Follow the events of the caller as they come
         * @description Server-sent events of type `event.received`, whether a webhook matches or not: `message_id`, `event_type`, `received_at`, and in `body` what a webhook would get, byte for byte. The `webhook_id` in it has only zeros. Nothing is signed here: who listens signs with a secret of their own. Events are kept for five minutes, sealed, while somebody listens. It begins with `stream.opened`, which has the first id: Last-Event-ID goes on where a stream was cut off, within five minutes. One that the product does not know, as after a restore, begins anew with `stream.opened`.
         */
        readonly get: operations["streamEvents"];
    };
    readonly "/api/events": {
        /**
         * List the events that came for the caller
         * @description The newest first, each with the webhooks it matched, and why it did not match the others. A page may hold fewer than `limit`, or none, and still lead on: `searched_back_to` says how far it has looked. A request counts as 3, as 10 with `event_type`, as 10 with `kind` in its caller's limit.
         */
        readonly get: operations["listEvents"];
    };
    readonly "/api/events/{messageId}": {
        /**
         * Get an event, with its deliveries
         * @description Says for each webhook whether the event matched, and why it did not.
         */
        readonly get: operations["getEvent"];
    };
    readonly "/api/deliveries/{deliveryId}": {
        /**
         * Get a delivery, with what was sent and what came back
         * @description Each attempt is listed with what came back. Payloads end with their retention.
         */
        readonly get: operations["findDelivery"];
    };
    readonly "/api/webhooks/filter-preview": {
        /**
         * Try a filter with the latest events
         * @description With the latest 20 that were sent to a webhook of the caller, and the examples of the kinds that are not among them. Without `events` with every kind. Nothing is changed. A request counts as 40 in its caller's limit.
         */
        readonly post: operations["previewFilter"];
    };
    readonly "/api/webhooks/stats": {
        /**
         * Count the attempts of all webhooks of the caller by hour, or of one
         * @description Without a span: the last day. At most 31 days. Those of deleted webhooks are left out. A request counts as 25, as 5 with `webhook_id`, as 25 with `webhook_ids` in its caller's limit.
         */
        readonly get: operations["getStatistics"];
    };
    readonly "/api/webhooks/operations": {
        /**
         * List the replays of the caller
         * @description The newest first.
         */
        readonly get: operations["listOperations"];
    };
    readonly "/api/webhooks/operations/{id}": {
        /**
         * Get a replay
         * @description Says how much the replay has sent, at which rate, and how long it will take.
         */
        readonly get: operations["getOperation"];
        /**
         * Cancel a replay
         * @description Deliveries that the replay has sent stay.
         */
        readonly delete: operations["cancelOperation"];
    };
    readonly "/api/webhooks/{id}/replay": {
        /**
         * Count what a replay would send, or begin it
         * @description Without `confirm` it answers 200 with the count; with it 202 and the operation, which is counted beside it. Without `outcomes` it takes what did not get through and is not tried again by itself. A request counts as 100 in its caller's limit.
         */
        readonly post: operations["replayWebhook"];
    };
    readonly "/api/deliveries": {
        /**
         * List the deliveries of all webhooks of the caller, or of one
         * @description The newest first, without those of webhooks that were deleted. A page may hold fewer than `limit`, or none, and still lead on: `searched_back_to` says how far it has looked. A request counts as 3, as 200 with `text`, as 10 with `event_type`, as 10 with `kind`, as 10 with `http_status`, as 10 with `message_id`, as 10 with `sent_again`, as 50 with `format` in its caller's limit.
         */
        readonly get: operations["listDeliveries"];
    };
    readonly "/api/webhooks/{id}/test": {
        /**
         * Send a webhook a test event
         * @description The example of a kind of event, or the data of an event that came, marked with `"test": true`. It goes the way of every delivery, signature and retries included.
         */
        readonly post: operations["sendTestEvent"];
    };
    readonly "/api/webhooks/{id}/probe": {
        /**
         * Try a webhook now
         * @description The delivery that goes next is attempted at once, also while the circuit is open: when it succeeds, the circuit closes, and what waits follows.
         */
        readonly post: operations["probeWebhook"];
    };
    readonly "/api/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        /**
         * Send a delivery again, as a new one
         * @description The event goes again under the same message id. A delivery that waits for its retry is sent at once instead.
         */
        readonly post: operations["redeliver"];
    };
    readonly "/api/webhooks/{id}/deliveries/{deliveryId}/payload": {
        /**
         * Delete what a delivery sent and what came back
         * @description The delivery and its attempts stay in lists, without content.
         */
        readonly delete: operations["expungePayload"];
    };
    readonly "/api/webhooks/payloads": {
        /**
         * Delete what all deliveries of the caller sent so far
         * @description The deliveries and their attempts stay in lists, without content.
         */
        readonly delete: operations["expungePayloads"];
    };
    readonly "/api/webhooks": {
        /**
         * List the webhooks of the caller
         * @description The newest first.
         */
        readonly get: operations["listWebhooks"];
        /**
         * Make a webhook
         * @description Also beside others with the same url.
         */
        readonly post: operations["createWebhook"];
    };
    readonly "/api/webhooks/{id}": {
        /**
         * Get a webhook
         * @description The answer has an ETag: send it as If-Match with a change.
         */
        readonly get: operations["getWebhook"];
        /**
         * Delete a webhook
         * @description Deliveries that wait for it are cancelled.
         */
        readonly delete: operations["deleteWebhook"];
        /**
         * Change a webhook
         * @description Members that are left out stay; null clears an option. As a merge patch (RFC 7396), `filter`, `headers` and `metadata` are merged.
         */
        readonly patch: operations["changeWebhook"];
    };
    readonly "/api/webhooks/configure": {
        /**
         * Make the webhook of a url, or change it
         * @description Answers 201 when there was none. What is left out of a webhook that exists stays. Of several with that url it changes the oldest.
         */
        readonly post: operations["configureWebhook"];
    };
    readonly "/api/webhooks/{id}/rotate-secret": {
        /**
         * Give a webhook a new secret
         * @description Requests are signed with both secrets for a day.
         */
        readonly post: operations["rotateWebhookSecret"];
    };
    readonly "/api/ops/auth/signing-keys/rotate": {
        /**
         * Make another key that signs access tokens
         * @description Without a pause. `compromised`: a key has leaked, so the others count no more, and neither does a token that they signed.
         */
        readonly post: operations["rotateSigningKeys"];
    };
    readonly "/api/ops/auth/users": {
        /**
         * List users, the newest first
         * @description Addresses are masked. `email` finds the user of an address, to the letter.
         */
        readonly get: operations["listUsers"];
    };
    readonly "/api/ops/auth/users/{id}": {
        /**
         * Get a user
         * @description With the numbers of sessions and API keys. The address is masked.
         */
        readonly get: operations["getUser"];
        /**
         * Delete a user with all that every service holds of the user
         * @description The answer has a receipt, at which the deletion in every service can be followed.
         */
        readonly delete: operations["deleteUser"];
    };
    readonly "/api/ops/auth/users/{id}/remove-factors": {
        /**
         * Remove every second factor of a user, and end the sessions
         * @description For who has lost them, or into whose account somebody else has put one. Make sure who asks.
         */
        readonly post: operations["removeFactors"];
    };
    readonly "/api/ops/auth/sign-outs": {
        /**
         * End the sessions of a user, or of everybody, on all replicas within a second
         * @description Server-sent events of type `progress`, with `users`, `sessions` and `api_keys` that were ended, and `phase`: `ending`, and at last `done`. A user who signs in meanwhile may stay. Hanging up stops it; a failure comes as a `problem`.
         */
        readonly post: operations["signOutUsers"];
    };
    readonly "/api/ops/auth/clients": {
        /**
         * List the clients that operators registered, the newest first
         * @description Clients of SERVICE_ACCOUNTS_FILE are not in the list.
         */
        readonly get: operations["listClients"];
        /**
         * Register a client with a secret, or with keys in its place
         * @description The secret is shown this once.
         */
        readonly post: operations["registerClient"];
    };
    readonly "/api/ops/auth/clients/{id}": {
        /**
         * End a client, which gets no token any more
         * @description Tokens that it has got count until they run out, ten minutes at most.
         */
        readonly delete: operations["revokeClient"];
    };
    readonly "/api/ops/auth/clients/{id}/rotate-secret": {
        /**
         * Give a client a new secret beside the last one
         * @description The last secret counts for `overlap_s` seconds more. The new one is shown this once.
         */
        readonly post: operations["rotateClientSecret"];
    };
    readonly "/api/ops/auth/clients/{id}/keys": {
        /**
         * Give a client keys in place of its secrets (private_key_jwt)
         * @description Secrets of the client count for `overlap_s` seconds more. A key with a private member is refused.
         */
        readonly post: operations["setClientKeys"];
    };
    readonly "/api/ops/auth/operators": {
        /**
         * Make a user an operator
         * @description The tokens of the user say so from the next refresh on.
         */
        readonly post: operations["addOperator"];
    };
    readonly "/api/ops/auth/operators/{user_id}": {
        /**
         * Take the role of operator from a user, and end the sessions of the user
         * @description Service accounts go on, also when nobody is an operator any more.
         */
        readonly delete: operations["removeOperator"];
    };
    readonly "/api/ops/webhook-dispatcher/failing-webhooks": {
        /**
         * List the webhooks of all users that get nothing through
         * @description Ids, numbers, codes and hosts: no path, no payload.
         */
        readonly get: operations["listFailingWebhooks"];
    };
    readonly "/api/ops/webhook-dispatcher/pauses": {
        /**
         * List the hosts and users that operators have paused, the latest first
         * @description Deliveries to them wait until an operator has them go on.
         */
        readonly get: operations["listPauses"];
        /**
         * Pause what is sent to a host or to a user, or have it go on
         * @description Deliveries wait, no attempt is made or counted, and they go on in order. Owners read `paused` with `paused_by` `operator`. A request that is under way is not ended.
         */
        readonly post: operations["pauseSending"];
    };
    readonly "/api/ops/webhook-dispatcher/webhooks/{webhook_id}": {
        /**
         * Disable a webhook of any user, or enable it again
         * @description The owner reads `disabled_reason` `operator`, and cannot enable it. Deliveries are held meanwhile, as for every disabled webhook. Enabled again, it is as its owner had it.
         */
        readonly patch: operations["operateWebhook"];
    };
    readonly "/api/ops/webhook-dispatcher/failing-users": {
        /**
         * List users by how many of their webhooks fail, the most first
         * @description Ids and numbers alone.
         */
        readonly get: operations["listFailingUsers"];
    };
    readonly "/api/ops/webhook-dispatcher/backlog": {
        /**
         * Count what waits to be sent, and what ended without success
         * @description Numbers over all users. `hours` says how far back endings are counted.
         */
        readonly get: operations["getBacklog"];
    };
    readonly "/api/ops/webhook-dispatcher/circuits": {
        /**
         * List the open circuits, those first whose probe is due next
         * @description Ids, numbers and hosts: no path, no payload.
         */
        readonly get: operations["listCircuits"];
    };
    readonly "/api/ops/webhook-dispatcher/circuits/{webhook_id}/probe": {
        /**
         * Send the next request to a webhook at once, instead of at the end of its rest
         * @description The circuit closes when the request succeeds.
         */
        readonly post: operations["probeCircuit"];
    };
    readonly "/api/ops/webhook-dispatcher/shards": {
        /**
         * List the replicas that live or have shards, and the shards of each
         * @description A shard without a replica is free, and is taken by the next one that asks.
         */
        readonly get: operations["listShards"];
    };
    readonly "/api/ops/webhook-dispatcher/webhook-keys/rotate": {
        /**
         * Make another key that signs webhooks
         * @description Receivers that read the keys once a day notice nothing. `compromised`: a key has leaked, so the new one signs at once, and no other counts any more.
         */
        readonly post: operations["rotateWebhookKeys"];
    };
    readonly "/api/ops/{service}/health": {
        /**
         * Ask how a service is
         * @description The same checks as `/health/ready`; it leaves no record in the audit.
         */
        readonly get: operations["getServiceHealth"];
    };
    readonly "/api/ops/{service}/audit": {
        /**
         * List what operators did to a service, and what was refused to whom
         * @description The newest first. A look at the list is an entry of the next one.
         */
        readonly get: operations["listServiceAccesses"];
    };
    readonly "/api/ops/{service}/projections": {
        /**
         * List the read models of a service
         * @description Each with its version, and how far a rebuild of it is.
         */
        readonly get: operations["listServiceProjections"];
    };
    readonly "/api/ops/{service}/projections/{name}/rebuild": {
        /**
         * Build a read model of a service anew, beside the one that answers
         * @description A rebuild that was broken off goes on. The list of read models says how far it is; the request is answered as soon as it has begun. A service account that accepts `text/event-stream` follows it instead: a message `progress` for each step, to the last, whose `phase` is `done`. Hanging up stops it then, and a failure comes as a `problem`.
         */
        readonly post: operations["rebuildServiceProjection"];
        /**
         * Throw away what a rebuild in a service that is not under way has filled
         * @description The read model that answers is not touched.
         */
        readonly delete: operations["discardServiceRebuild"];
    };
    readonly "/api/ops/{service}/consumers": {
        /**
         * List what a service consumes, and how far it is behind
         * @description Every partition that was ever consumed, with its state, and the reason where the offset is lost.
         */
        readonly get: operations["listServiceConsumers"];
    };
    readonly "/api/ops/{service}/dead-letters": {
        /**
         * List the records that a service could not handle
         * @description Without the record, and in a browser without its key, its user, and what people wrote about it.
         */
        readonly get: operations["listServiceDeadLetters"];
    };
    readonly "/api/ops/{service}/dead-letters/redrive": {
        /**
         * Hand records to their handler in a service once more
         * @description After what was in their way has been mended.
         */
        readonly post: operations["redriveServiceDeadLetters"];
    };
    readonly "/api/ops/{service}/keys": {
        /**
         * List the key ring of a service, and what each key has sealed
         * @description Ids and counts, never a key.
         */
        readonly get: operations["listServiceKeys"];
    };
    readonly "/api/ops/{service}/keys/rotate": {
        /**
         * Seal with the newest key of a service what older ones have sealed
         * @description Under traffic. How far it is stands in the list of keys; it answers as soon as it has begun. A service account that accepts `text/event-stream` follows it instead: a message `progress` for each step, to the last, whose `phase` is `done`. Hanging up stops it then, and a failure comes as a `problem`.
         */
        readonly post: operations["rotateServiceKeys"];
    };
    readonly "/api/ops/{service}/doctor": {
        /**
         * Look at all that a service needs
         * @description With connections of its own. It says what is not as it must be, and what to do.
         */
        readonly get: operations["diagnoseService"];
    };
    readonly "/api/ops/{service}/verification": {
        /**
         * Read every event of a service, and say which streams are not as they must be
         * @description Server-sent events: comments while it reads, and then a message `verdict` with `streams`, `events` and at most 100 `problems`, each with `stream_id`, `problem` and `detail`.
         */
        readonly get: operations["verifyServiceStreams"];
    };
    readonly "/api/ops/{service}/events/stream": {
        /**
         * Follow the events of a service as they are committed
         * @description Server-sent events of type `event`, in the order that all readers see, with their cursors as ids. The first is `opened`, whose id says where it begins. The stream ends after some minutes: Last-Event-ID or `cursor` goes on there, and nothing is left out. A failure comes as a `problem`.
         */
        readonly get: operations["followServiceEvents"];
    };
    readonly "/api/ops/{service}/streams": {
        /**
         * List the streams of a service, by their names
         * @description Each with the version of its newest event.
         */
        readonly get: operations["listServiceStreams"];
    };
    readonly "/api/ops/{service}/streams/{stream_id}/events": {
        /**
         * List the events of a stream of a service
         * @description In the order of their versions. Sealed members read `[sealed]`.
         */
        readonly get: operations["listServiceStreamEvents"];
    };
    readonly "/api/ops/{service}/events/{event_id}": {
        /**
         * Get an event of a service by its id
         * @description Without its stream, events are looked at one by one, the newest first; on a large store the answer says how far the search came.
         */
        readonly get: operations["getServiceEvent"];
    };
    readonly "/api/ops/{service}/streams/{stream_id}/state": {
        /**
         * Get what the events of a stream of a service amount to
         * @description As it is, or as it was at a version or a time.
         */
        readonly get: operations["getServiceStreamState"];
    };
    readonly "/api/ops/{service}/consumers/reset": {
        /**
         * Set where a partition that a service consumes goes on
         * @description Records in between are handled again, or never.
         */
        readonly post: operations["resetServiceConsumer"];
    };
    readonly "/api/ops/{service}/consumers/reset-all": {
        /**
         * Set every partition that a service consumes to the first record that Kafka has
         * @description For when Kafka lost its records, and offsets mean nothing any more. What was handled before passes by as a repeat.
         */
        readonly post: operations["resetAllServiceConsumers"];
    };
    readonly "/api/ops/{service}/dead-letters/{id}": {
        /**
         * Get a record that a service could not handle
         * @description With headers and payload of the record where `with_record` is true.
         */
        readonly get: operations["getServiceDeadLetter"];
    };
    readonly "/api/ops/{service}/dead-letters/drop": {
        /**
         * Give up records that a service could not handle
         * @description The records never take effect, and what waits behind them goes on.
         */
        readonly post: operations["dropServiceDeadLetters"];
    };
}
export interface webhooks {
    readonly "inbox.organized": {
        /** Inbox organization is completed. */
        readonly post: operations["onInboxOrganized"];
    };
    readonly "draft.created": {
        /** A new draft reply is created. */
        readonly post: operations["onDraftCreated"];
    };
    readonly "meeting.joined": {
        /** A meeting is joined and notes are taken. */
        readonly post: operations["onMeetingJoined"];
    };
    readonly "briefing.sent": {
        /** The daily briefing is sent. */
        readonly post: operations["onBriefingSent"];
    };
    readonly "reminder.sent": {
        /** A reminder is sent. */
        readonly post: operations["onReminderSent"];
    };
    readonly "webhook.disabled": {
        /** Another webhook was disabled: its receiver answered 410 Gone (gone_410), or five days brought nothing but failure (failing). */
        readonly post: operations["onWebhookDisabled"];
    };
    readonly "webhook.failing": {
        /** Every attempt of another webhook has failed for an hour or longer. The notice is repeated every twelve hours while that lasts. */
        readonly post: operations["onWebhookFailing"];
    };
    readonly "webhook.exhausted": {
        /** A delivery of another webhook failed in its last attempt and is not tried again. */
        readonly post: operations["onWebhookExhausted"];
    };
    readonly "webhook.refused": {
        /** The egress guard lets nothing go to another webhook: its name leads to a private address, or its url breaks a rule. Attempts are repeated by its schedule. */
        readonly post: operations["onWebhookRefused"];
    };
    readonly "webhook.recovered": {
        /** Another webhook works again, after so many failures that sending had rested. */
        readonly post: operations["onWebhookRecovered"];
    };
    readonly "integration.connected": {
        /** A mailbox or calendar was connected. */
        readonly post: operations["onIntegrationConnected"];
    };
    readonly "integration.degraded": {
        /** The token of a connection that worked could not be refreshed. It serves until it expires, and the refresh is tried again: integration.recovered or integration.reconnect_required says how that ends, or integration.connected or integration.disconnected when the connection is made anew or ended meanwhile. */
        readonly post: operations["onIntegrationDegraded"];
    };
    readonly "integration.recovered": {
        /** A connection that was degraded has been refreshed, and works as before. */
        readonly post: operations["onIntegrationRecovered"];
    };
    readonly "integration.reconnect_required": {
        /** The provider no longer accepts the connection; the user has to connect again. */
        readonly post: operations["onIntegrationReconnectRequired"];
    };
    readonly "integration.disconnected": {
        /** A connection was ended: here (user), or at the provider, which said so (token_revoked, tokens_revoked, account_disabled, account_purged) or was asked (inactive). */
        readonly post: operations["onIntegrationDisconnected"];
    };
}
export interface components {
    schemas: {
        /** @description A problem (RFC 9457). */
        readonly Problem: {
            /** @description Address of the page that explains the problem. */
            readonly type: string;
            readonly title: string;
            readonly status: number;
            /** @description Explanation for a person: what happened, and what to do. */
            readonly detail: string;
            /** @description The path that was asked for; the gateway tells none. */
            readonly instance?: string;
            /** @description Stable: branch on it. */
            readonly code: string;
            /** @description The same as X-Request-Id. Tell it to who helps you. */
            readonly request_id: string;
            /** @description Each mistake of the request, by its field. */
            readonly errors?: readonly {
                readonly field: string;
                readonly code: string;
                readonly message: string;
            }[];
        } & {
            readonly [key: string]: unknown;
        };
        readonly JsonWebKeySet: {
            readonly keys: readonly Record<string, never>[];
        };
        readonly AuthorizationServerMetadata: {
            readonly issuer: string;
            readonly token_endpoint: string;
            readonly jwks_uri: string;
            readonly response_types_supported: readonly string[];
            readonly grant_types_supported: readonly string[];
            readonly scopes_supported: readonly string[];
            readonly token_endpoint_auth_methods_supported: readonly string[];
            readonly token_endpoint_auth_signing_alg_values_supported: readonly string[];
            readonly service_documentation: string;
        };
        readonly DeletionReceipt: {
            /** Format: date-time */
            readonly deleted_at: string;
            /**
             * Format: date-time
             * @description Time until which links of mails bring the account back; absent: nothing does.
             */
            readonly open_until?: string;
            /** @description Numbers of what each service has ended at once; absent once nothing brings the account back. */
            readonly ended?: {
                readonly [key: string]: {
                    readonly [key: string]: number;
                } | null;
            };
            /** @description Numbers that each of auth, integrations, webhook-dispatcher erased; null: that service has not erased yet. */
            readonly services: {
                readonly [key: string]: {
                    readonly [key: string]: number;
                } | null;
            };
            readonly complete: boolean;
        };
        readonly PasswordResetPreview: {
            /** @description The address was never verified: the account ends, and another one begins. */
            readonly begins_anew: boolean;
            /** @description API keys that end unless they are kept. Empty where the account begins anew. */
            readonly api_keys: readonly {
                readonly id: string;
                readonly name: string;
                /** @description The key begins with it. */
                readonly prefix: string;
                readonly last_used_at: string | null;
            }[];
            /** @description Webhooks that are disabled unless they are kept. Empty where the account begins anew. */
            readonly webhooks: readonly {
                readonly id: string;
                readonly events: readonly string[];
                /** Format: date-time */
                readonly created_at: string;
                /**
                 * Format: date-time
                 * @description Time of its making, or of the last change of its address, kinds, secret or headers.
                 */
                readonly changed_at: string;
            }[];
        };
        readonly AccountChange: {
            /** @enum {string} */
            readonly kind: "factor_added" | "factor_removed" | "factors_removed" | "recovery_codes_made" | "recovery_code_used" | "password_changed" | "email_changed" | "api_key_created" | "api_key_rotated" | "api_key_revoked" | "account_deleted" | "webhooks_changed";
            /** Format: date-time */
            readonly changed_at: string;
        };
        readonly Tokens: {
            readonly access_token: string;
            /** @constant */
            readonly token_type: "Bearer";
            /** @description Seconds until the access token ends. */
            readonly expires_in: number;
            /** @description Token that works once: the answer to its use has the next. */
            readonly refresh_token: string;
        };
        readonly PasskeyChallenge: {
            readonly challenge_id: string;
            /** @description For navigator.credentials, in the JSON form of WebAuthn. */
            readonly options: Record<string, never>;
        };
        readonly PortalLink: {
            /** @description For `src` of the frame, as it is: what stands behind # is secret. */
            readonly url: string;
            /** Format: date-time */
            readonly expires_at: string;
        };
        readonly PortalSession: {
            readonly access_token: string;
            /** @constant */
            readonly token_type: "Bearer";
            /** @description Seconds until the access token ends. */
            readonly expires_in: number;
            /** @description Token that works once, like the token before it. */
            readonly next_token: string;
            /**
             * Format: date-time
             * @description Then another link is needed.
             */
            readonly session_ends_at: string;
            /** Format: uuid */
            readonly user_id: string;
            readonly origin: string;
            readonly appearance: {
                readonly product_name: string | null;
                readonly accent_color: string | null;
                readonly logo_url: string | null;
                /** @enum {string} */
                readonly color_scheme: "light" | "dark" | "auto";
            };
        };
        readonly Session: {
            readonly id: string;
            /** @description In words of ours, such as `Firefox on Linux`, `curl` or `unknown device`. */
            readonly device: string | null;
            /** Format: date-time */
            readonly started_at: string;
            /** Format: date-time */
            readonly last_used_at: string;
            readonly is_current: boolean;
        };
        readonly User: {
            /** Format: uuid */
            readonly id: string;
            /** @description null: a trusted issuer knows it. */
            readonly email: string | null;
            readonly email_verified: boolean;
            /** Format: date-time */
            readonly created_at: string;
            /** @enum {string} */
            readonly role: "user" | "operator";
            /** @description `password`, or the id of the issuer whose user this is. */
            readonly origin: string;
            readonly has_password: boolean;
            /** @description Whether mails tell of webhooks and connections that need the user. */
            readonly trouble_mails: boolean;
            /** @description Whether the first steps in the dashboard were closed, for good. */
            readonly first_steps_closed: boolean;
            readonly second_factor: boolean;
            readonly passkeys: number;
            /** @description Whether this installation sends mail. Without it a deletion cannot be taken back. */
            readonly sends_mail: boolean;
        };
        /** @description Everything that is kept of an account, without secrets. */
        readonly Account: {
            readonly user: {
                /** Format: uuid */
                readonly id: string;
                /** @description null: a trusted issuer knows it. */
                readonly email: string | null;
                readonly email_verified: boolean;
                /** Format: date-time */
                readonly created_at: string;
                /** @enum {string} */
                readonly role: "user" | "operator";
                /** @description `password`, or the id of the issuer whose user this is. */
                readonly origin: string;
                readonly has_password: boolean;
                /** @description Whether mails tell of webhooks and connections that need the user. */
                readonly trouble_mails: boolean;
                /** @description Whether the first steps in the dashboard were closed, for good. */
                readonly first_steps_closed: boolean;
            };
            readonly sessions: readonly {
                readonly id: string;
                /** @description In words of ours, such as `Firefox on Linux`, `curl` or `unknown device`. */
                readonly device: string | null;
                /** Format: date-time */
                readonly started_at: string;
                /** Format: date-time */
                readonly last_used_at: string;
            }[];
            readonly api_keys: readonly components["schemas"]["ApiKey"][];
            readonly second_factors: components["schemas"]["SecondFactors"];
            readonly history: readonly ({
                readonly type: string;
            } & {
                readonly [key: string]: unknown;
            })[];
        };
        readonly ApiKey: {
            readonly id: string;
            readonly name: string;
            readonly scopes: readonly string[];
            /** Format: date-time */
            readonly created_at: string;
            readonly expires_at: string | null;
            /** @description Time until which the secret before the newest one counts. */
            readonly previous_valid_until: string | null;
            /** @description To the minute. */
            readonly last_used_at: string | null;
        };
        readonly SecondFactors: {
            readonly totp: {
                /** Format: date-time */
                readonly created_at: string;
            } | null;
            readonly passkeys: readonly components["schemas"]["Passkey"][];
            readonly recovery_codes_left: number;
        };
        readonly Passkey: {
            readonly id: string;
            readonly name: string;
            /** Format: date-time */
            readonly created_at: string;
            readonly last_used_at: string | null;
        };
        readonly Deleted: {
            readonly receipt_id: string;
            /** Format: date-time */
            readonly deleted_at: string;
            /**
             * Format: date-time
             * @description Time until which links of mails bring the account back; absent: nothing does.
             */
            readonly open_until?: string;
            readonly erased?: {
                readonly [key: string]: number;
            };
        };
        readonly NewApiKey: {
            readonly id: string;
            readonly name: string;
            readonly scopes: readonly string[];
            /** Format: date-time */
            readonly created_at: string;
            readonly expires_at: string | null;
            /** @description Time until which the secret before the newest one counts. */
            readonly previous_valid_until: string | null;
            /** @description To the minute. */
            readonly last_used_at: string | null;
            /** @description Secret, which is shown this once. */
            readonly key: string;
        };
        readonly AddedFactor: {
            /** @description With the first factor; they are shown this once. */
            readonly recovery_codes?: readonly string[];
            /** @description Absent where they go into cookies, or none are new. */
            readonly tokens?: components["schemas"]["Tokens"];
        };
        readonly AddedPasskey: {
            readonly passkey?: components["schemas"]["Passkey"];
            /** @description With the first factor; they are shown this once. */
            readonly recovery_codes?: readonly string[];
            /** @description Absent where they go into cookies, or none are new. */
            readonly tokens?: components["schemas"]["Tokens"];
        };
        readonly IdentityProvider: {
            readonly id: string;
            readonly display_name: string;
            /** @description A data: URI of an image. */
            readonly icon: string | null;
            readonly providers: readonly ("mailbox" | "calendar")[];
        };
        readonly Connected: {
            /** @constant */
            readonly success: true;
            /** @constant */
            readonly status: "connected";
            readonly integration_id: string;
            /** @description Notes about a client that misses something, for instance a scope. */
            readonly notices?: readonly {
                readonly code: string;
                readonly message: string;
            }[];
        };
        /** @description An account of a user at an identity provider. */
        readonly Integration: {
            /** @example con_0198c0de-0123-7abc-8def-00000000abcd */
            readonly integration_id: string;
            /**
             * @description The kind of account.
             * @enum {string}
             */
            readonly provider: "mailbox" | "calendar";
            /** @example google */
            readonly identity_provider: string;
            /** @description True for the integration that serves wherever its kind alone is named. */
            readonly is_primary: boolean;
            /** @description True when the tokens are there and are handed out. */
            readonly connected: boolean;
            /** Format: date-time */
            readonly connected_at: string;
            /** @enum {string} */
            readonly status: "active" | "degraded" | "reconnect_required" | "revoked" | "disconnected";
            /** @description A stable code. */
            readonly status_reason: string | null;
            readonly granted_scopes: readonly string[];
            /** @description Scopes that were asked for and not granted. */
            readonly missing_scopes: readonly string[];
            /** @description As the provider names it to a person. */
            readonly account: string;
            /** @description Whether the provider gave a refresh token. */
            readonly renewable: boolean;
            readonly last_refreshed_at: string | null;
            /** @description Whether tokens of a connection that was ended here were revoked there too. */
            readonly provider_revocation: ("pending" | "done" | "unsupported" | "failed") | null;
        };
        /** @description A kind of which no account was ever connected. */
        readonly NotConnected: {
            /**
             * @description The kind of account.
             * @enum {string}
             */
            readonly provider: "mailbox" | "calendar";
            /** @constant */
            readonly connected: false;
            /** @constant */
            readonly status: "not_connected";
        };
        readonly IntegrationHistoryItem: {
            /** @example integration.refreshed */
            readonly type: string;
            /** Format: date-time */
            readonly at: string;
            /** @enum {string} */
            readonly actor: "user" | "provider" | "system";
            /** @description Sentences for a person: what happened, why, and what to do. */
            readonly detail: string;
            readonly account?: string;
            readonly granted_scopes?: readonly string[];
            readonly missing_scopes?: readonly string[];
            readonly credential_version?: number;
            /**
             * Format: date-time
             * @description Time at which the access token runs out.
             */
            readonly expires_at?: string;
            /** @description A stable code. */
            readonly reason?: string;
        };
        readonly EventType: {
            /**
             * @description The kind of event.
             * @example draft.created
             */
            readonly event_type: string;
            readonly description: string;
            /** @description A webhook gets it only by naming it or its group: `*` does not. */
            readonly opt_in: boolean;
            /** @description True for a notice of ours about webhooks and integrations. */
            readonly notice: boolean;
            /** @description JSON Schema (2020-12) of `data`. */
            readonly schema: Record<string, never>;
            /** @description A `data` that fits the schema. */
            readonly example: Record<string, never>;
        };
        /** @description A JWK Set (RFC 7517), newest first. */
        readonly WebhookKeys: {
            readonly keys: readonly {
                /** @constant */
                readonly kty: "OKP";
                /** @constant */
                readonly crv: "Ed25519";
                /** @description The 32 bytes in base64url. */
                readonly x: string;
                /** @description The thumbprint (RFC 7638). */
                readonly kid: string;
                /** @constant */
                readonly alg: "EdDSA";
                /** @constant */
                readonly use: "sig";
                /** @description The same key as Standard Webhooks writes it: whpk_ and base64. */
                readonly whpk: string;
            }[];
        };
        readonly Event: {
            /**
             * @description The same in every attempt: the header webhook-id.
             * @example msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d
             */
            readonly message_id: string;
            /**
             * @description The kind of event.
             * @example draft.created
             */
            readonly event_type: string;
            readonly source: string;
            /** @description As its producer named it, unique for its source. */
            readonly id: string;
            /** Format: date-time */
            readonly received_at: string;
            /** @description Number of repeats of the event that came and were dropped. */
            readonly repeats: number;
            readonly last_repeat_at: string | null;
            /** @description Which webhooks it matched, and why it did not match the others. */
            readonly webhooks: readonly {
                /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
                readonly webhook_id: string;
                readonly matched: boolean;
                /** @description A stable code. */
                readonly verdict: string;
                readonly detail: string;
            }[];
        };
        readonly EventDetail: {
            /**
             * @description The same in every attempt: the header webhook-id.
             * @example msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d
             */
            readonly message_id: string;
            /**
             * @description The kind of event.
             * @example draft.created
             */
            readonly event_type: string;
            readonly source: string;
            /** @description As its producer named it, unique for its source. */
            readonly id: string;
            /** Format: date-time */
            readonly received_at: string;
            /** @description Number of repeats of the event that came and were dropped. */
            readonly repeats: number;
            readonly last_repeat_at: string | null;
            /** @description Which webhooks it matched, and why it did not match the others. */
            readonly webhooks: readonly {
                /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
                readonly webhook_id: string;
                readonly matched: boolean;
                /** @description A stable code. */
                readonly verdict: string;
                readonly detail: string;
            }[];
            readonly deliveries: readonly components["schemas"]["Delivery"][];
        };
        /** @description One event on its way to one webhook. */
        readonly Delivery: {
            /** @example dlv_0190f3a0-0000-7000-8000-000000000001 */
            readonly delivery_id: string;
            /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
            readonly webhook_id: string;
            /** @description null: the webhook was deleted. */
            readonly webhook_url: string | null;
            /** @description null: the webhook has none. */
            readonly webhook_description: string | null;
            /**
             * @description The same in every attempt: the header webhook-id.
             * @example msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d
             */
            readonly message_id: string;
            /**
             * @description The kind of event.
             * @example draft.created
             */
            readonly event_type: string;
            /** @enum {string} */
            readonly status: "pending" | "retrying" | "held" | "succeeded" | "exhausted" | "refused" | "cancelled";
            /** @description Reason why the delivery was held, refused, cancelled or given up, or the outcome of the last attempt. */
            readonly reason: string | null;
            readonly attempt_count: number;
            /** @description Status of the last answer; null: no answer came. */
            readonly response_status: number | null;
            /**
             * Format: date-time
             * @description Time at which the event was taken in, or at which a redelivery was asked for.
             */
            readonly created_at: string;
            /** @description Time of the event by its producer, `timestamp` of the body; null: not known. */
            readonly event_time: string | null;
            readonly next_attempt_at: string | null;
            /** @description Time until which its webhook rests after failures while it waits; null: it does not. */
            readonly rests_until: string | null;
            readonly ended_at: string | null;
            /** @description The first delivery that this one repeats. */
            readonly redelivery_of: string | null;
            /** @description The replay that sent it; null: none did, it was asked for or came by itself. */
            readonly operation_id: string | null;
            /** @description True for a test event, and for a delivery that repeats one. */
            readonly test: boolean;
            readonly payload_expunged_at: string | null;
        };
        readonly DeliveryDetail: {
            /** @example dlv_0190f3a0-0000-7000-8000-000000000001 */
            readonly delivery_id: string;
            /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
            readonly webhook_id: string;
            /** @description null: the webhook was deleted. */
            readonly webhook_url: string | null;
            /** @description null: the webhook has none. */
            readonly webhook_description: string | null;
            /**
             * @description The same in every attempt: the header webhook-id.
             * @example msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d
             */
            readonly message_id: string;
            /**
             * @description The kind of event.
             * @example draft.created
             */
            readonly event_type: string;
            /** @enum {string} */
            readonly status: "pending" | "retrying" | "held" | "succeeded" | "exhausted" | "refused" | "cancelled";
            /** @description Reason why the delivery was held, refused, cancelled or given up, or the outcome of the last attempt. */
            readonly reason: string | null;
            readonly attempt_count: number;
            /** @description Status of the last answer; null: no answer came. */
            readonly response_status: number | null;
            /**
             * Format: date-time
             * @description Time at which the event was taken in, or at which a redelivery was asked for.
             */
            readonly created_at: string;
            /** @description Time of the event by its producer, `timestamp` of the body; null: not known. */
            readonly event_time: string | null;
            readonly next_attempt_at: string | null;
            /** @description Time until which its webhook rests after failures while it waits; null: it does not. */
            readonly rests_until: string | null;
            readonly ended_at: string | null;
            /** @description The first delivery that this one repeats. */
            readonly redelivery_of: string | null;
            /** @description The replay that sent it; null: none did, it was asked for or came by itself. */
            readonly operation_id: string | null;
            /** @description True for a test event, and for a delivery that repeats one. */
            readonly test: boolean;
            readonly payload_expunged_at: string | null;
            /** @description Byte for byte; null: it is not here any more. */
            readonly request_body: string | null;
            readonly attempts: readonly components["schemas"]["Attempt"][];
        };
        readonly Attempt: {
            readonly attempt: number;
            /** Format: date-time */
            readonly at: string;
            /**
             * @description A stable code.
             * @example http_500
             */
            readonly result: string;
            /** @description Reason of the failure, for a person. */
            readonly detail: string | null;
            readonly request?: {
                /** @constant */
                readonly method: "POST";
                readonly url: string;
                readonly headers: {
                    readonly [key: string]: string;
                };
                readonly note?: string;
            };
            readonly response_status: number | null;
            readonly timing: {
                /** @description Milliseconds; null: it did not come so far. */
                readonly dns_ms: number | null;
                /** @description Milliseconds; null: it did not come so far. */
                readonly connect_ms: number | null;
                /** @description Milliseconds; null: it did not come so far. */
                readonly tls_ms: number | null;
                /** @description Milliseconds; null: it did not come so far. */
                readonly first_byte_ms: number | null;
                readonly total_ms: number;
            };
            readonly response_headers: readonly {
                readonly name: string;
                readonly value: string;
            }[] | null;
            /** @description Beginning of the body of the answer. */
            readonly response_sample: string | null;
        };
        /** @description Which events pass, by their `data`: a condition on the value at a path, or conditions in groups. At most 6 levels deep, with 50 conditions. A number must be one that a double (IEEE 754) holds as it is written: a larger or finer one is refused, and one in `data` equals none. */
        readonly Filter: {
            readonly all: readonly components["schemas"]["Filter"][];
        } | {
            readonly any: readonly components["schemas"]["Filter"][];
        } | {
            readonly not: components["schemas"]["Filter"];
        } | {
            /** @description Names with dots between them; a number is a place in a list. `\.` is a dot within a name, `\\` a backslash. */
            readonly path: string;
            readonly equals?: string | number | boolean | null;
            readonly in?: readonly (string | number | boolean | null)[];
            readonly exists?: boolean;
            readonly gt?: number | string;
            readonly gte?: number | string;
            readonly lt?: number | string;
            readonly lte?: number | string;
            readonly prefix?: string;
            /** @description The value is a list, and this is in it. */
            readonly contains?: string | number | boolean | null;
        };
        /** @description An event that a filter was tried with. */
        readonly TriedEvent: {
            /** @description null: the example of the kind, of which no event came lately. */
            readonly message_id: string | null;
            /**
             * @description The kind of event.
             * @example draft.created
             */
            readonly event_type: string;
            readonly received_at: string | null;
            readonly passes: boolean;
        };
        readonly Statistics: {
            /** Format: date-time */
            readonly from: string;
            /** Format: date-time */
            readonly to: string;
            /** @description By hour, oldest first. */
            readonly items: readonly {
                /** Format: date-time */
                readonly hour: string;
                readonly attempts: number;
                readonly succeeded: number;
                readonly failed: number;
                /** @description Events that the filter dropped, so that no delivery was made. */
                readonly filtered: number;
                /** @description 0 to 1. */
                readonly success_rate: number | null;
                readonly latency_ms: {
                    readonly p50: number | null;
                    readonly p90: number | null;
                    readonly p95: number | null;
                    readonly p99: number | null;
                };
            }[];
            readonly total: {
                readonly attempts: number;
                readonly succeeded: number;
                readonly failed: number;
                /** @description Events that the filter dropped, so that no delivery was made. */
                readonly filtered: number;
                /** @description 0 to 1. */
                readonly success_rate: number | null;
                readonly latency_ms: {
                    readonly p50: number | null;
                    readonly p90: number | null;
                    readonly p95: number | null;
                    readonly p99: number | null;
                };
            };
            /** @description Deliveries that wait for an attempt now; 10000 where there are more. */
            readonly waiting: number;
            /** @description Deliveries that are held, and were not sent again since (`status=held&sent_again=false`); 10000 where there are more. */
            readonly held: number;
            /** @description The attempt that began last, within the span or before; null: none is known. */
            readonly last_attempt: {
                /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
                readonly webhook_id: string;
                /** @example dlv_0190f3a0-0000-7000-8000-000000000001 */
                readonly delivery_id: string;
                /** Format: date-time */
                readonly at: string;
                /**
                 * @description A stable code.
                 * @example http_500
                 */
                readonly result: string;
            } | null;
            /** @description Attempts by time, kind and response, where `step` is given; oldest first. */
            readonly steps?: readonly {
                /** Format: date-time */
                readonly at: string;
                /**
                 * @description The kind of event.
                 * @example draft.created
                 */
                readonly event_type: string;
                /**
                 * @description The class of the status; none: no answer came. 2xx has succeeded.
                 * @enum {string}
                 */
                readonly response: "2xx" | "3xx" | "4xx" | "5xx" | "none";
                readonly attempts: number;
            }[];
            /** @description Each webhook by itself, where `webhook_ids` names some. */
            readonly webhooks?: readonly {
                /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
                readonly webhook_id: string;
                /** @description By hour, oldest first. */
                readonly items: readonly {
                    /** Format: date-time */
                    readonly hour: string;
                    readonly attempts: number;
                    readonly succeeded: number;
                    readonly failed: number;
                    /** @description Events that the filter dropped, so that no delivery was made. */
                    readonly filtered: number;
                    /** @description 0 to 1. */
                    readonly success_rate: number | null;
                    readonly latency_ms: {
                        readonly p50: number | null;
                        readonly p90: number | null;
                        readonly p95: number | null;
                        readonly p99: number | null;
                    };
                }[];
                readonly total: {
                    readonly attempts: number;
                    readonly succeeded: number;
                    readonly failed: number;
                    /** @description Events that the filter dropped, so that no delivery was made. */
                    readonly filtered: number;
                    /** @description 0 to 1. */
                    readonly success_rate: number | null;
                    readonly latency_ms: {
                        readonly p50: number | null;
                        readonly p90: number | null;
                        readonly p95: number | null;
                        readonly p99: number | null;
                    };
                };
                /** @description Deliveries that wait for an attempt now; 10000 where there are more. */
                readonly waiting: number;
                /** @description Deliveries that are held, and were not sent again since (`status=held&sent_again=false`); 10000 where there are more. */
                readonly held: number;
                /** @description The attempt that began last, within the span or before; null: none is known. */
                readonly last_attempt: {
                    /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
                    readonly webhook_id: string;
                    /** @example dlv_0190f3a0-0000-7000-8000-000000000001 */
                    readonly delivery_id: string;
                    /** Format: date-time */
                    readonly at: string;
                    /**
                     * @description A stable code.
                     * @example http_500
                     */
                    readonly result: string;
                } | null;
                /**
                 * @description The last 90 attempts, oldest first, a character for each. 1 to 8: it succeeded within 10, 30, 100, 300 ms, 1, 3, 10 s, or later. x: any other answer. !: no answer came.
                 * @example 2232x!3
                 */
                readonly marks: string;
            }[];
        };
        readonly Operation: {
            /** @example op_0190f3a0-0000-7000-8000-000000000002 */
            readonly operation_id: string;
            /** @constant */
            readonly kind: "replay";
            /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
            readonly webhook_id: string;
            /** @enum {string} */
            readonly status: "running" | "completed" | "cancelled";
            readonly reason: string | null;
            /** Format: date-time */
            readonly from: string;
            /** Format: date-time */
            readonly to: string;
            /** @description null: every kind. */
            readonly event_types: readonly string[] | null;
            /**
             * @deprecated
             * @description The earlier name of `event_types`, which goes with the next release.
             */
            readonly kinds: readonly string[] | null;
            readonly outcomes: readonly ("retrying" | "held" | "exhausted" | "refused" | "succeeded")[];
            readonly count: number;
            /** @description false: there are at least so many. */
            readonly count_is_exact: boolean;
            readonly sent: number;
            /** @description Number of deliveries whose payload is not here any more. */
            readonly skipped: number;
            /** @description 0 to 1. */
            readonly progress: number;
            /** @description Lately; null: it has ended. */
            readonly deliveries_per_s: number | null;
            /** @description At that rate; null: it is not known. */
            readonly time_left_s: number | null;
            /** @description null: its user has bytes left to send. */
            readonly waits_until: string | null;
            /** Format: date-time */
            readonly requested_at: string;
            readonly ended_at: string | null;
        };
        /** @description What a replay would send, for somebody to confirm. */
        readonly ReplayPreview: {
            /** Format: date-time */
            readonly from: string;
            /** Format: date-time */
            readonly to: string;
            /** @description null: every kind. */
            readonly event_types: readonly string[] | null;
            /**
             * @deprecated
             * @description The earlier name of `event_types`, which goes with the next release.
             */
            readonly kinds: readonly string[] | null;
            readonly outcomes: readonly ("retrying" | "held" | "exhausted" | "refused" | "succeeded")[];
            readonly count: number;
            /** @description false: there are at least so many. */
            readonly count_is_exact: boolean;
            /** @constant */
            readonly confirmed: false;
        };
        /** @description An endpoint, and what it gets. Options that are not set are absent. */
        readonly Webhook: {
            /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
            readonly webhook_id: string;
            /** @example https://example.com/hook */
            readonly url: string;
            /** @description Kinds and wildcards. */
            readonly events: readonly string[];
            readonly enabled: boolean;
            readonly has_secret: boolean;
            /** @enum {string} */
            readonly status: "active" | "paused" | "disabled";
            /**
             * @description The status, or `failing`: it is active, and nothing gets through.
             * @enum {string}
             */
            readonly state: "active" | "failing" | "paused" | "disabled";
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** @enum {string} */
            readonly disabled_reason?: "user" | "gone_410" | "failing" | "operator";
            /**
             * @description An operator has paused its host or its user; absent: nobody but its owner.
             * @constant
             */
            readonly paused_by?: "operator";
            readonly disabled_at?: string | null;
            /** @description Deliveries wait until the receiver answers a probe; absent: closed. */
            readonly circuit?: {
                /** @enum {string} */
                readonly state: "open" | "half_open";
                /** Format: date-time */
                readonly opened_at: string;
                /** Format: date-time */
                readonly probe_at: string;
            };
            /** @description Nothing has arrived since, and why. */
            readonly failing?: {
                /** Format: date-time */
                readonly since: string;
                /** @description A stable code. */
                readonly reason: string;
                readonly detail: string | null;
            };
            /**
             * Format: date-time
             * @description Time until which the secret before a rotation signs; absent: there is none.
             */
            readonly previous_secret_expires_at?: string;
            /** @constant */
            readonly ordered?: true;
            /** @description Requests a second. */
            readonly rate_limit?: number;
            readonly description?: string;
            readonly filter?: components["schemas"]["Filter"];
            /** @description Seconds before each retry. */
            readonly retry_schedule?: readonly number[];
            readonly metadata?: {
                readonly [key: string]: string;
            };
            /**
             * @description Signed with our key pair as well: see /.well-known/webhook-keys.json.
             * @constant
             */
            readonly signature?: "ed25519";
            /**
             * @description Requests carry `traceparent`.
             * @constant
             */
            readonly trace_context?: true;
            /** @description Headers of the own choice; their values are not shown. */
            readonly headers?: {
                readonly [key: string]: string;
            };
        };
        readonly RotatedWebhook: {
            /** @example wh_0190f3a0-0000-7000-8000-000000000000 */
            readonly webhook_id: string;
            /** @example https://example.com/hook */
            readonly url: string;
            /** @description Kinds and wildcards. */
            readonly events: readonly string[];
            readonly enabled: boolean;
            readonly has_secret: boolean;
            /** @enum {string} */
            readonly status: "active" | "paused" | "disabled";
            /**
             * @description The status, or `failing`: it is active, and nothing gets through.
             * @enum {string}
             */
            readonly state: "active" | "failing" | "paused" | "disabled";
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** @enum {string} */
            readonly disabled_reason?: "user" | "gone_410" | "failing" | "operator";
            /**
             * @description An operator has paused its host or its user; absent: nobody but its owner.
             * @constant
             */
            readonly paused_by?: "operator";
            readonly disabled_at?: string | null;
            /** @description Deliveries wait until the receiver answers a probe; absent: closed. */
            readonly circuit?: {
                /** @enum {string} */
                readonly state: "open" | "half_open";
                /** Format: date-time */
                readonly opened_at: string;
                /** Format: date-time */
                readonly probe_at: string;
            };
            /** @description Nothing has arrived since, and why. */
            readonly failing?: {
                /** Format: date-time */
                readonly since: string;
                /** @description A stable code. */
                readonly reason: string;
                readonly detail: string | null;
            };
            /**
             * Format: date-time
             * @description Time until which the secret before a rotation signs; absent: there is none.
             */
            readonly previous_secret_expires_at?: string;
            /** @constant */
            readonly ordered?: true;
            /** @description Requests a second. */
            readonly rate_limit?: number;
            readonly description?: string;
            readonly filter?: components["schemas"]["Filter"];
            /** @description Seconds before each retry. */
            readonly retry_schedule?: readonly number[];
            readonly metadata?: {
                readonly [key: string]: string;
            };
            /**
             * @description Signed with our key pair as well: see /.well-known/webhook-keys.json.
             * @constant
             */
            readonly signature?: "ed25519";
            /**
             * @description Requests carry `traceparent`.
             * @constant
             */
            readonly trace_context?: true;
            /** @description Headers of the own choice; their values are not shown. */
            readonly headers?: {
                readonly [key: string]: string;
            };
            /** @description Secret that was made here; it is shown this once. */
            readonly secret?: string;
        };
        readonly ListedUser: {
            /** Format: uuid */
            readonly id: string;
            readonly masked_email: string | null;
            readonly origin: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @enum {string} */
            readonly role: "user" | "operator";
            readonly email_verified: boolean;
            /** @description Time at which the user deleted the account, which can be brought back for 72 hours. */
            readonly closed_at: string | null;
        };
        readonly RegisteredClient: {
            readonly client_id: string;
            readonly name: string;
            readonly grants: readonly {
                readonly audience: string;
                readonly scopes: readonly string[];
            }[];
            /** Format: date-time */
            readonly created_at: string;
            /** @description `kid` of each of its keys. */
            readonly key_ids: readonly string[];
            /** @description Number of secrets that count: two while one is replaced. */
            readonly secrets: number;
            /** @description Time at which the older one of two secrets ends. */
            readonly previous_valid_until: string | null;
        };
        readonly FailingWebhooks: {
            readonly totals: {
                /** @description Webhooks whose last attempt failed. */
                readonly failing: number;
                /** @description Webhooks whose circuit is open. */
                readonly resting: number;
                /** @description Deliveries that wait for their first attempt. */
                readonly pending: number;
                /** @description Deliveries that wait for another one. */
                readonly retrying: number;
                /** @description Deliveries that are held up by nothing but us. */
                readonly due: number;
                /** @description Seconds since the oldest of those was due. */
                readonly oldest_due_s: number;
            };
            /** @description Webhooks that have failed for longest, at most 100 in a browser. */
            readonly items: readonly {
                readonly webhook_id: string;
                /** Format: uuid */
                readonly user_id: string;
                readonly status: string;
                /** @enum {string} */
                readonly state: "active" | "failing" | "paused" | "disabled";
                /** @description Host of its url. */
                readonly host: string;
                /** Format: date-time */
                readonly failing_since: string;
                /** Format: date-time */
                readonly last_failed_at: string;
                /** @description A code, of the last attempt. */
                readonly reason: string;
                /** @description Counted up to 10,000, in a list of more than ten up to 100,000 / `limit`. */
                readonly waiting: number;
                /** @description null: its circuit is closed. */
                readonly probe_at: string | null;
                /**
                 * @description The last 90 attempts, oldest first, a character for each. 1 to 8: it succeeded within 10, 30, 100, 300 ms, 1, 3, 10 s, or later. x: any other answer. !: no answer came.
                 * @example 2232x!3
                 */
                readonly marks: string;
            }[];
        };
        readonly SendingPause: {
            readonly host: string | null;
            readonly user_id: string | null;
            /** Format: date-time */
            readonly paused_at: string;
        };
        readonly FailingUser: {
            /** Format: uuid */
            readonly user_id: string;
            /** @description Webhooks whose last attempt failed. */
            readonly failing: number;
            /** @description All that are not deleted. */
            readonly webhooks: number;
            /**
             * Format: date-time
             * @description Start of the failures of the webhook that has failed for longest.
             */
            readonly failing_since: string;
        };
        readonly Backlog: {
            /** @description Deliveries that wait for their first attempt. */
            readonly pending: number;
            /** @description Deliveries that wait for another one. */
            readonly retrying: number;
            /** @description Deliveries that are held up by nothing but us. */
            readonly due: number;
            /** @description Seconds since the oldest of those was due. */
            readonly oldest_due_s: number;
            readonly failing_webhooks: number;
            readonly open_circuits: number;
            /** @description Their rest is over: the next request is a probe. */
            readonly half_open_circuits: number;
            /** @description Deliveries that ended without success, the most first, at most 50. */
            readonly ended: readonly {
                readonly status: string;
                readonly reason: string;
                readonly count: number;
            }[];
            /** @description Webhooks that fail, by the outcome of their last attempt, at most 50. */
            readonly reasons: readonly {
                readonly reason: string;
                readonly webhooks: number;
            }[];
        };
        readonly OpenCircuit: {
            readonly webhook_id: string;
            /** Format: uuid */
            readonly user_id: string;
            /** @description Host of its url. */
            readonly host: string;
            /** @description open, or half_open: the probe is due */
            readonly state: string;
            /** Format: date-time */
            readonly opened_at: string;
            /** Format: date-time */
            readonly probe_at: string;
        };
        readonly ShardOwner: {
            /** @description host/process/run */
            readonly owner: string;
            readonly shards: readonly number[];
            /** @description Seconds for which its shards are still its own; below 0: others may take them. */
            readonly lease_left_s: number;
            readonly alive: boolean;
            /** @description Partitions of assistant.events.v1 that the replica consumes. */
            readonly partitions: readonly number[];
        };
        readonly Access: {
            readonly actor: {
                /** @enum {string} */
                readonly kind: "user" | "service";
                readonly id: string;
            };
            readonly method: string;
            readonly arguments: Record<string, never>;
            /** Format: date-time */
            readonly at: string;
            /** @description read, requested, completed, failed or refused */
            readonly outcome: string;
            /** @description Code of the problem, for a call that failed or was refused. */
            readonly code: string | null;
            /** @description Number of times that it was refused: repeats within an hour are counted together. */
            readonly attempts: number;
            /** @description Stream that has the record. Only service accounts are told. */
            readonly stream_id?: string;
        };
        readonly Projection: {
            readonly name: string;
            readonly version: number;
            /** @description null: none is under way. */
            readonly rebuild: {
                readonly version: number;
                readonly status: string;
                readonly events_done: number;
            } | null;
        };
        readonly ConsumedPartition: {
            readonly consumer: string;
            readonly topic: string;
            readonly partition: number;
            readonly state: string;
            /** @description Reason why the offset is lost. */
            readonly reason: string | null;
            readonly offset: number;
            readonly end: number | null;
            readonly lag: number | null;
            /** @description Member that has it. Only service accounts are told. */
            readonly owner?: string | null;
        };
        readonly DeadLetter: {
            /** Format: uuid */
            readonly id: string;
            readonly consumer: string;
            readonly topic: string;
            readonly partition: number;
            readonly offset: number;
            readonly reason: string;
            readonly state: string;
            readonly redrives: number;
            /** Format: date-time */
            readonly recorded_at: string;
            /** Format: date-time */
            readonly set_aside_at: string;
            readonly resolved_at: string | null;
            /** @description Only service accounts are told. */
            readonly key?: string | null;
            /** @description Only service accounts are told. */
            readonly user_id?: string | null;
            /** @description Only service accounts are told. */
            readonly reason_text?: string;
            /** @description Only service accounts are told. */
            readonly resolved_by?: string | null;
            /** @description Only service accounts are told. */
            readonly note?: string | null;
        };
        readonly RedrivenDeadLetters: {
            readonly outcomes: readonly {
                /** Format: uuid */
                readonly id: string;
                /** @description redriven, failed, dropped, resolved (before) or not_found */
                readonly outcome: string;
                /** @description The code of why it failed again. */
                readonly reason: string | null;
                /** @description Only service accounts are told. */
                readonly reason_text?: string | null;
            }[];
            /** @description Others fit the filter: ask again. */
            readonly more?: boolean;
        };
        readonly RingKey: {
            readonly key_id: string;
            /** @description false: what it has sealed does not open. */
            readonly in_ring: boolean;
            /** @description True for the key that seals from now on. */
            readonly newest: boolean;
            readonly uses: readonly {
                readonly table: string;
                readonly column: string;
                readonly rows: number;
            }[];
        };
        readonly Finding: {
            readonly check: string;
            /** @description ok, warning (it works for the time being) or problem */
            readonly state: string;
            readonly found: string;
            /** @description Empty when all is well. */
            readonly remedy: string;
        };
        readonly StreamHead: {
            readonly stream_id: string;
            readonly version: number;
        };
        readonly StoredEvent: {
            /**
             * Format: uuid
             * @description UUIDv5 of the command and the place of the event in it.
             */
            readonly event_id: string;
            readonly stream_id: string;
            readonly version: number;
            /** @description Place among all events: following goes on after it. */
            readonly cursor: string;
            readonly type: string;
            readonly schema_version: number;
            /** Format: date-time */
            readonly recorded_at: string;
            /** @description As it was stored; sealed fields read `[sealed]`. */
            readonly data: unknown;
            readonly metadata: {
                readonly actor: {
                    /** @enum {string} */
                    readonly kind: "user" | "service" | "system";
                    readonly id: string;
                } | null;
                readonly correlation_id: string | null;
                readonly causation_id: string | null;
                /** @description W3C Trace Context. */
                readonly traceparent: string | null;
            };
        };
        readonly StreamState: {
            /** @description 0: nothing had happened. */
            readonly version: number;
            /** @description null: at version 0. */
            readonly recorded_at: string | null;
            readonly state: unknown;
        };
        readonly DroppedDeadLetters: {
            readonly outcomes: readonly {
                /** Format: uuid */
                readonly id: string;
                /** @description redriven, failed, dropped, resolved (before) or not_found */
                readonly outcome: string;
                /** @description The code of why it failed again. */
                readonly reason: string | null;
                /** @description Only service accounts are told. */
                readonly reason_text?: string | null;
            }[];
            /** @description Others fit the filter: ask again. */
            readonly more?: boolean;
        };
    };
    responses: {
        /** @description Invalid request */
        readonly Invalidrequest2: {
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    readonly code?: "malformed_body" | "incomplete_body" | "unreadable_body" | "nested_too_deep" | "unstorable_text" | "invalid_request";
                };
                readonly "application/json": {
                    readonly error: string;
                    readonly error_description: string;
                };
            };
        };
        /** @description Too large */
        readonly Toolarge: {
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    readonly code?: "body_too_large";
                };
                readonly "application/json": {
                    readonly error: string;
                    readonly error_description: string;
                };
            };
        };
        /** @description Not authenticated */
        readonly Notauthenticated: {
            content: {
                readonly "application/json": {
                    readonly error: string;
                    readonly error_description: string;
                };
            };
        };
        /** @description Invalid request */
        readonly Invalidrequest21: {
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    readonly code?: "malformed_path" | "malformed_body" | "incomplete_body" | "unreadable_body" | "nested_too_deep" | "unknown_identity_provider" | "unstorable_text" | "invalid_request";
                };
                readonly "application/json": {
                    readonly err: string;
                    readonly description: string;
                };
            };
        };
        /** @description A problem. */
        readonly Refusal: {
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    readonly code?: "unstorable_text" | "invalid_request" | "too_busy" | "internal" | "service_unavailable" | "starting" | "stopping" | "upstream_unavailable" | "deadline_exceeded" | "headers_too_large" | "malformed_path" | "receipt_not_found" | "malformed_body" | "incomplete_body" | "unreadable_body" | "nested_too_deep" | "body_too_large" | "unsupported_media_type" | "too_many_attempts" | "invalid_or_used_token" | "issuer_not_found" | "issuer_unavailable" | "email_taken" | "ambiguous_cookie" | "unauthenticated" | "invalid_token" | "csrf_check_failed" | "insufficient_scope" | "account_deleted" | "session_required" | "registrant_unknown" | "password_required" | "invalid_password" | "too_many_requests" | "authentication_unavailable" | "keys_unavailable" | "mail_unavailable" | "invalid_credentials" | "second_factor_required" | "invalid_second_factor" | "invalid_refresh_token" | "issuer_sign_in_needed" | "invalid_idempotency_key" | "service_token_refused" | "scope_missing" | "portal_origin_not_allowed" | "idempotency_key_reused" | "idempotency_in_progress" | "user_not_found" | "portal_token_invalid" | "insufficient_user_authentication" | "user_of_another_origin" | "api_key_not_found" | "expires_in_the_past" | "expires_too_late" | "email_unverified" | "too_many_api_keys" | "totp_exists" | "invalid_code" | "no_second_factor" | "account_elsewhere" | "invalid_passkey" | "passkey_not_found" | "missing_scope" | "provider_unavailable" | "refresh_in_progress" | "unknown_provider" | "not_connected" | "disconnected" | "revoked" | "reconnect_required" | "token_not_renewable" | "connection_contended" | "too_many_streams" | "unknown_identity_provider" | "return_to_not_allowed" | "invalid_auth_code" | "invalid_state" | "invalid_issuer" | "too_many_codes" | "too_many_accounts" | "user_deleted" | "integration_not_found" | "integration_ended" | "invalid_if_match" | "precondition_failed" | "too_many_questions" | "security_events_not_set_up" | "too_many_events" | "webhook_not_found" | "event_not_found" | "delivery_not_found" | "operation_not_found" | "webhook_disabled" | "replay_under_way" | "bytes_spent" | "payload_expunged" | "webhook_paused" | "delivery_under_way" | "webhook_limit_reached" | "webhook_disabled_by_operator" | "operator_required" | "second_factor_needed" | "client_not_found" | "circuit_not_open" | "no_such_route" | "cursor_invalid" | "projection_not_found" | "called_off" | "rebuild_under_way" | "consumes_nothing" | "too_many_followers" | "stream_not_found" | "search_too_long" | "version_not_found" | "aggregate_unknown" | "event_unreadable" | "no_rebuild" | "offset_outside_log" | "partition_unknown" | "partition_consumed" | "dead_letter_not_found";
                };
            };
        };
    };
    parameters: {
        readonly Service: "auth" | "integrations" | "webhook-dispatcher";
        /** @description The same in every attempt: drop what you have seen. */
        readonly WebhookId: string;
        /** @description When this attempt was made, in seconds since 1970. */
        readonly WebhookTimestamp: string;
        /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
        readonly WebhookSignature: string;
        /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
        readonly ServiceSignature: string;
        /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
        readonly Traceparent: string;
        /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
        readonly IdempotencyKey: string;
        /** @description An ETag as it came: the request changes that version or none. */
        readonly IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The version of what is shown, for If-Match and If-None-Match. */
        readonly ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getKeys: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["JsonWebKeySet"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getAuthorizationServerMetadata: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["AuthorizationServerMetadata"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getDeletionReceipt: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["DeletionReceipt"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly issueServiceToken: {
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": {
                    /** @constant */
                    readonly grant_type: "client_credentials";
                    /** @description The service the token is for; `resource` says the same. */
                    readonly audience?: string;
                    readonly resource?: string;
                    readonly scope?: string;
                    readonly client_id?: string;
                    readonly client_secret?: string;
                    readonly client_assertion_type?: string;
                    readonly client_assertion?: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly access_token: string;
                        /** @constant */
                        readonly token_type: "Bearer";
                        /** @description Seconds until the access token ends. */
                        readonly expires_in: number;
                        readonly scope: string;
                    };
                };
            };
            readonly 400: components["responses"]["Invalidrequest2"];
            readonly 401: components["responses"]["Notauthenticated"];
            readonly 413: components["responses"]["Toolarge"];
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly openUnsubscribePage: {
        readonly parameters: {
            readonly query: {
                readonly token: string;
            };
        };
        readonly responses: {
            /** @description Goes on at Location. */
            readonly 303: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly unsubscribe: {
        readonly parameters: {
            readonly query: {
                readonly token: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listSignInIssuers: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            readonly display_name: string;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly beginSignInAtIssuer: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description Goes on at Location. */
            readonly 302: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly askIssuerAgain: {
        readonly parameters: {
            readonly query?: {
                readonly next?: string;
            };
        };
        readonly responses: {
            /** @description Goes on at Location. */
            readonly 303: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly finishSignInAtIssuer: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description Goes on at Location. */
            readonly 303: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly register: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "a horse that staples batteries"
                 *     }
                 */
                readonly "application/json": {
                    readonly email: string;
                    /** @description 8 to 256 characters, of any kind. Not a common password, not made of sequences and repetitions such as 1234 or aaaa, and with 8 characters besides the address and the name Junction. */
                    readonly password: string;
                };
            };
        };
        readonly responses: {
            /** @description It was made; Location has its address. */
            readonly 201: {
                content: {
                    readonly "application/json": {
                        readonly user: {
                            /** Format: uuid */
                            readonly id: string;
                            readonly email: string | null;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly verifyEmail: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "vt_0198c0de01237abc",
                 *       "password": "a horse that staples batteries"
                 *     }
                 */
                readonly "application/json": {
                    readonly token: string;
                    /** @description The password of the registration; a session of the account does as well. */
                    readonly password?: string;
                    /** @description The password that somebody chooses who did not register: the account begins anew with it. */
                    readonly new_password?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly previewPasswordReset: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "rp_0198c0de01237abc"
                 *     }
                 */
                readonly "application/json": {
                    readonly token: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["PasswordResetPreview"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly forgotPassword: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                readonly "application/json": {
                    readonly email: string;
                };
            };
        };
        readonly responses: {
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly resetPassword: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "rp_0198c0de01237abc",
                 *       "new_password": "a battery that staples horses"
                 *     }
                 */
                readonly "application/json": {
                    readonly token: string;
                    /** @description 8 to 256 characters, of any kind. Not a common password, not made of sequences and repetitions such as 1234 or aaaa, and with 8 characters besides the address and the name Junction. */
                    readonly new_password: string;
                    /** @description API keys of the account end unless this is true. */
                    readonly keep_api_keys?: boolean;
                    /** @description Webhooks of the account are disabled unless this is true. */
                    readonly keep_webhooks?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly previewUndo: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "jn_mt_0198c0de01237abc"
                 *     }
                 */
                readonly "application/json": {
                    readonly token: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly changes: readonly components["schemas"]["AccountChange"][];
                        /**
                         * Format: date-time
                         * @description Time until which the account can be brought back; absent: it was not deleted.
                         */
                        readonly open_until?: string;
                        /** @description Whether the token also ends the account at once, which was deleted. */
                        readonly may_end_at_once?: boolean;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly undoChanges: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "jn_mt_0198c0de01237abc",
                 *       "new_password": "a battery that staples horses"
                 *     }
                 */
                readonly "application/json": {
                    readonly token: string;
                    /** @description 8 to 256 characters, of any kind. Not a common password, not made of sequences and repetitions such as 1234 or aaaa, and with 8 characters besides the address and the name Junction. */
                    readonly new_password: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly endAccount: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "jn_mt_0198c0de01237abc"
                 *     }
                 */
                readonly "application/json": {
                    readonly token: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly receipt_id: string;
                        /** Format: date-time */
                        readonly deleted_at: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly login: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "a horse that staples batteries"
                 *     }
                 */
                readonly "application/json": {
                    readonly email: string;
                    readonly password: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Tokens"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly finishLogin: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "mfa_token": "mt_0198c0de01237abc",
                 *       "totp_code": "123456"
                 *     }
                 */
                readonly "application/json": {
                    readonly mfa_token: string;
                    readonly totp_code?: string;
                    readonly recovery_code?: string;
                    readonly passkey?: {
                        readonly challenge_id: string;
                        readonly response: {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Tokens"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly loginByPasskey: {
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly challenge_id: string;
                    readonly response: {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Tokens"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getPasskeyChallenge: {
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    readonly mfa_token?: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["PasskeyChallenge"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly refresh: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "refresh_token": "rt_0198c0de01237abc"
                 *     }
                 */
                readonly "application/json": {
                    readonly refresh_token: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Tokens"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly beginBrowserSession: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "a horse that staples batteries"
                 *     }
                 */
                readonly "application/json": {
                    readonly email: string;
                    readonly password: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly user_id: string;
                        readonly email?: string;
                        /** @description Seconds until the access token ends. */
                        readonly expires_in: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly endBrowserSession: {
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly finishBrowserSession: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "mfa_token": "mt_0198c0de01237abc",
                 *       "totp_code": "123456"
                 *     }
                 */
                readonly "application/json": {
                    readonly mfa_token: string;
                    readonly totp_code?: string;
                    readonly recovery_code?: string;
                    readonly passkey?: {
                        readonly challenge_id: string;
                        readonly response: {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly user_id: string;
                        readonly email?: string;
                        /** @description Seconds until the access token ends. */
                        readonly expires_in: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly beginBrowserSessionByPasskey: {
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly challenge_id: string;
                    readonly response: {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly user_id: string;
                        readonly email?: string;
                        /** @description Seconds until the access token ends. */
                        readonly expires_in: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly refreshBrowserSession: {
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** @description Seconds until the access token ends. */
                        readonly expires_in: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly createPortalLink: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "user_id": "7f0c9a4e-52b1-4f0f-9d3e-0b8a6f1c2d3e",
                 *       "origin": "https://app.example.com",
                 *       "appearance": {
                 *         "product_name": "Acme",
                 *         "accent_color": "#0b7285",
                 *         "color_scheme": "auto"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** Format: uuid */
                    readonly user_id: string;
                    /** @description Origin of the page whose frame it is; one of PORTAL_ORIGINS, to the letter. */
                    readonly origin: string;
                    readonly appearance?: {
                        readonly product_name?: string;
                        /** @description Color of buttons and links; its lightness is changed where it could not be read. */
                        readonly accent_color?: string;
                        /**
                         * Format: uri
                         * @description An image of one of PORTAL_ORIGINS.
                         */
                        readonly logo_url?: string;
                        /** @enum {string} */
                        readonly color_scheme?: "light" | "dark" | "auto";
                    };
                };
            };
        };
        readonly responses: {
            /** @description It was made; Location has its address. */
            readonly 201: {
                content: {
                    readonly "application/json": components["schemas"]["PortalLink"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly openPortal: {
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly token: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["PortalSession"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly logout: {
        readonly requestBody?: {
            readonly content: {
                /** @example {} */
                readonly "application/json": {
                    readonly refresh_token?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listSessions: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Session"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly endSessions: {
        readonly parameters: {
            readonly query?: {
                readonly include_current?: "true" | "false";
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly endSession: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getMe: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly user: components["schemas"]["User"];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly deleteAccount: {
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "password": "a horse that staples batteries"
                 *     }
                 */
                readonly "application/json": {
                    readonly password?: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Deleted"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly updateMe: {
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "trouble_mails": false
                 *     }
                 */
                readonly "application/json": {
                    /** @description Whether mails tell of webhooks and connections that need the user. */
                    readonly trouble_mails?: boolean;
                    /** @constant */
                    readonly first_steps_closed?: true;
                };
                /**
                 * @example {
                 *       "trouble_mails": false
                 *     }
                 */
                readonly "application/merge-patch+json": {
                    /** @description Whether mails tell of webhooks and connections that need the user. */
                    readonly trouble_mails?: boolean;
                    /** @constant */
                    readonly first_steps_closed?: true;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly user: components["schemas"]["User"];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly exportAccount: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly resendVerification: {
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly changeEmail: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "password": "a horse that staples batteries",
                 *       "new_email": "ada@example.org"
                 *     }
                 */
                readonly "application/json": {
                    readonly password: string;
                    readonly new_email: string;
                };
            };
        };
        readonly responses: {
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly changePassword: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "current_password": "a horse that staples batteries",
                 *       "new_password": "a battery that staples horses"
                 *     }
                 */
                readonly "application/json": {
                    readonly current_password: string;
                    /** @description 8 to 256 characters, of any kind. Not a common password, not made of sequences and repetitions such as 1234 or aaaa, and with 8 characters besides the address and the name Junction. */
                    readonly new_password: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listApiKeys: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["ApiKey"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly createApiKey: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "nightly export",
                 *       "scopes": [
                 *         "webhooks:read"
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    readonly name: string;
                    readonly scopes?: readonly ("integrations:read" | "integrations:write" | "webhooks:read" | "webhooks:write" | "account:read")[];
                    /** Format: date-time */
                    readonly expires_at?: string;
                };
            };
        };
        readonly responses: {
            /** @description It was made; Location has its address. */
            readonly 201: {
                content: {
                    readonly "application/json": components["schemas"]["NewApiKey"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getApiKey: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["ApiKey"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly revokeApiKey: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly rotateApiKey: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "overlap_s": 3600
                 *     }
                 */
                readonly "application/json": {
                    /** @default 86400 */
                    readonly overlap_s?: number;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["NewApiKey"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getSecondFactors: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["SecondFactors"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly offerTotp: {
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly secret: string;
                        readonly otpauth_uri: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly removeTotp: {
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly confirmTotp: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                readonly "application/json": {
                    readonly code: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["AddedFactor"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly makeRecoveryCodes: {
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly recovery_codes: readonly string[];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly stepUp: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "totp_code": "123456"
                 *     }
                 */
                readonly "application/json": {
                    readonly totp_code?: string;
                    readonly recovery_code?: string;
                    readonly passkey?: {
                        readonly challenge_id: string;
                        readonly response: {
                            readonly [key: string]: unknown;
                        };
                    };
                    readonly password?: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** @description Absent where it goes into a cookie. */
                        readonly access_token?: string;
                        /** @constant */
                        readonly token_type?: "Bearer";
                        /** @description Seconds until the access token ends. */
                        readonly expires_in: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly offerPasskey: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["PasskeyChallenge"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly addPasskey: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly challenge_id: string;
                    readonly response: {
                        readonly [key: string]: unknown;
                    };
                    readonly name: string;
                };
            };
        };
        readonly responses: {
            /** @description It was made; Location has its address. */
            readonly 201: {
                content: {
                    readonly "application/json": components["schemas"]["AddedPasskey"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly removePasskey: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getAccessToken: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "user_id": "7f0c9a4e-52b1-4f0f-9d3e-0b8a6f1c2d3e",
                 *       "provider": "mailbox"
                 *     }
                 */
                readonly "application/json": {
                    /** Format: uuid */
                    readonly user_id: string;
                    /** @description mailbox or calendar. */
                    readonly provider: string;
                    /** @description An account. Absent: the primary one. */
                    readonly integration_id?: string;
                    /**
                     * @description Scopes that the token must carry. Absent: any.
                     * @default []
                     */
                    readonly scopes?: readonly string[];
                    /**
                     * @description Seconds that the token must still live. Absent: it has not expired.
                     * @default 0
                     */
                    readonly min_lifetime_s?: number;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** @description Never to be logged or stored. */
                        readonly access_token: string;
                        /** Format: date-time */
                        readonly expires_at: string;
                        readonly scopes: readonly string[];
                        readonly credential_version: number;
                        readonly integration_id: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly reportUnauthorized: {
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "user_id": "7f0c9a4e-52b1-4f0f-9d3e-0b8a6f1c2d3e",
                 *       "provider": "mailbox",
                 *       "credential_version": 1
                 *     }
                 */
                readonly "application/json": {
                    /** Format: uuid */
                    readonly user_id: string;
                    /** @description mailbox or calendar. */
                    readonly provider: string;
                    /** @description An account. Absent: the primary one. */
                    readonly integration_id?: string;
                    /** @description As it came with the token. */
                    readonly credential_version: number;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly status: string;
                        readonly credential_version: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly streamIntegrations: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listIdentityProviders: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly identity_providers: readonly components["schemas"]["IdentityProvider"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly beginAuthorization: {
        readonly parameters: {
            readonly query?: {
                readonly identity_provider?: string;
                readonly return_to?: string;
            };
            readonly path: {
                readonly provider: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** Format: uri */
                        readonly authorization_url: string;
                        readonly state: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly connect: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly provider: string;
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "auth_code": "4/0AVMBsJi8",
                 *       "state": "LJ0v5Qm0mTrs",
                 *       "identity_provider": "google"
                 *     }
                 */
                readonly "application/json": {
                    readonly auth_code: string;
                    readonly state?: string;
                    readonly iss?: string;
                    readonly identity_provider?: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Connected"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listIntegrations: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly integrations: readonly components["schemas"]["Integration"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getIntegration: {
        readonly parameters: {
            readonly path: {
                readonly integration: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Integration"] | components["schemas"]["NotConnected"];
                };
            };
            /** @description It has not changed since If-None-Match. */
            readonly 304: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly disconnectIntegration: {
        readonly parameters: {
            readonly header?: {
                /** @description An ETag as it came: the request changes that version or none. */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path: {
                readonly integration: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listIntegrationHistory: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                readonly cursor?: string;
            };
            readonly path: {
                readonly integration: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["IntegrationHistoryItem"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly makeIntegrationPrimary: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly integrationId: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Integration"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getReturnTo: {
        readonly parameters: {
            readonly path: {
                readonly provider: string;
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "state": "LJ0v5Qm0mTrs",
                 *       "identity_provider": "google"
                 *     }
                 */
                readonly "application/json": {
                    readonly state: string;
                    readonly identity_provider: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly return_to: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly receiveSecurityEvent: {
        readonly parameters: {
            readonly path: {
                readonly identityProvider: string;
                readonly provider: string;
            };
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/secevent+jwt": string;
            };
        };
        readonly responses: {
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content?: never;
            };
            readonly 400: components["responses"]["Invalidrequest21"];
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listEventTypes: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["EventType"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getWebhookKeys: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["WebhookKeys"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly streamDeliveries: {
        readonly parameters: {
            readonly query?: {
                readonly webhook_id?: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly streamEvents: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listEvents: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                readonly event_type?: string;
                /**
                 * @deprecated
                 * @description The earlier name of `event_type`, which goes with the next release.
                 */
                readonly kind?: string;
                readonly cursor?: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Event"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                        /** @description Events that came before this moment are not looked at yet: `next_cursor` goes on there. Null: none is left. */
                        readonly searched_back_to: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getEvent: {
        readonly parameters: {
            readonly path: {
                readonly messageId: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["EventDetail"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly findDelivery: {
        readonly parameters: {
            readonly path: {
                readonly deliveryId: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly previewFilter: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "path": "categorized.important",
                 *         "gt": 0
                 *       },
                 *       "events": [
                 *         "inbox.organized"
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    readonly filter: components["schemas"]["Filter"];
                    /** @description Kinds of events. `meeting.*` names every kind that begins so, and `*` every kind that is not opt-in, later ones included. Kinds beside a wildcard that covers them are dropped. */
                    readonly events?: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["TriedEvent"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getStatistics: {
        readonly parameters: {
            readonly query?: {
                readonly from?: string;
                readonly to?: string;
                /** @description Counts by kind and response in `steps` too, so far apart; 5m within a day at most. */
                readonly step?: "5m" | "1h" | "6h";
                /** @description Counts this one alone. */
                readonly webhook_id?: string;
                /** @description Up to 100, with commas between: counts these alone, and each by itself in `webhooks`. Those that the caller does not have are left out. */
                readonly webhook_ids?: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Statistics"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listOperations: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                readonly webhook_id?: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Operation"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getOperation: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Operation"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly cancelOperation: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly replayWebhook: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "from": "2026-01-02T00:00:00Z",
                 *       "to": "2026-01-03T00:00:00Z",
                 *       "confirm": false
                 *     }
                 */
                readonly "application/json": {
                    readonly from: string;
                    readonly to: string;
                    readonly event_types?: readonly string[];
                    /**
                     * @deprecated
                     * @description The earlier name of `event_types`, which goes with the next release.
                     */
                    readonly kinds?: readonly string[];
                    /**
                     * @default [
                     *       "held",
                     *       "exhausted",
                     *       "refused"
                     *     ]
                     */
                    readonly outcomes?: readonly ("retrying" | "held" | "exhausted" | "refused" | "succeeded")[];
                    /** @default false */
                    readonly confirm?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["ReplayPreview"] | components["schemas"]["Operation"];
                };
            };
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content: {
                    readonly "application/json": components["schemas"]["ReplayPreview"] | components["schemas"]["Operation"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listDeliveries: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
                /** @description Status, or several with commas between. */
                readonly status?: string;
                /** @description `false`: those alone that were not sent again since; `true`: the others. */
                readonly sent_again?: "true" | "false";
                readonly event_type?: string;
                /**
                 * @deprecated
                 * @description The earlier name of `event_type`, which goes with the next release.
                 */
                readonly kind?: string;
                /** @description The status that the last attempt was answered with, 500, or its class, 5xx. */
                readonly http_status?: string;
                readonly message_id?: string;
                /** @description Held by an id, the kind, the reason, or the body, as it was sent or as it reads without the escapes of JSON; case makes no difference. Bodies are opened to look: a page ends when it is full or after some seconds, and says how far it came. */
                readonly text?: string;
                readonly from?: string;
                readonly to?: string;
                readonly webhook_id?: string;
                /** @description Answers with a file of all that the filter lets through, 10,000 at most, as CSV or with a JSON object a line. What is behind its last row is had with that delivery_id as the cursor. */
                readonly format?: "csv" | "jsonl";
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Delivery"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                        /** @description Deliveries that were made before this moment are not looked at yet: `next_cursor` goes on there. Null: none is left. */
                        readonly searched_back_to: string | null;
                    };
                    readonly "text/csv": string;
                    readonly "application/jsonl": string;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly sendTestEvent: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "draft.created"
                 *     }
                 */
                readonly "application/json": {
                    /** @description Sends the example of this kind. */
                    readonly event_type?: string;
                    /**
                     * @deprecated
                     * @description The earlier name of `event_type`, which goes with the next release.
                     */
                    readonly kind?: string;
                    /** @description Sends the data of this event. */
                    readonly message_id?: string;
                };
            };
        };
        readonly responses: {
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content: {
                    readonly "application/json": {
                        /** @example dlv_0190f3a0-0000-7000-8000-000000000001 */
                        readonly delivery_id: string;
                        /**
                         * @description The same in every attempt: the header webhook-id.
                         * @example msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d
                         */
                        readonly message_id: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly probeWebhook: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content: {
                    readonly "application/json": {
                        /** @description null: none waits, and the next event is sent at once. */
                        readonly delivery_id: string | null;
                        /** @description The number of the attempt that is made: one that is due may be under way already. */
                        readonly attempt: number | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly redeliver: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly id: string;
                readonly deliveryId: string;
            };
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content: {
                    readonly "application/json": {
                        /** @example dlv_0190f3a0-0000-7000-8000-000000000001 */
                        readonly delivery_id: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly expungePayload: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
                readonly deliveryId: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly expungePayloads: {
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content: {
                    readonly "application/json": {
                        /** Format: date-time */
                        readonly requested_at: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly state?: "active" | "failing" | "paused" | "disabled";
                readonly limit?: number;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Webhook"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                        /** @description Webhooks that the caller can have at most. */
                        readonly webhooks_max: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly createWebhook: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.org/junction",
                 *       "events": [
                 *         "meeting.*"
                 *       ],
                 *       "enabled": true,
                 *       "metadata": {
                 *         "team": "calendar"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    readonly url: string;
                    /** @description Kinds of events. `meeting.*` names every kind that begins so, and `*` every kind that is not opt-in, later ones included. Kinds beside a wildcard that covers them are dropped. */
                    readonly events: readonly string[];
                    /** @description Absent: a new webhook is enabled, and one that is there stays as it is. */
                    readonly enabled?: boolean;
                    /** @description 1 to 256 bytes of UTF-8, without control characters, and without blanks at its ends; one that begins with `whsec_` goes on in base64. Libraries of Standard Webhooks read such a one as it is, best with 24 bytes or more behind it; any other secret they take as the base64 of its bytes. */
                    readonly secret?: string;
                    /** @description True sends one delivery after the other. */
                    readonly ordered?: boolean | null;
                    /** @description Requests a second. */
                    readonly rate_limit?: number | null;
                    readonly description?: string | null;
                    readonly filter?: components["schemas"]["Filter"] | null;
                    /** @description Seconds before each retry. */
                    readonly retry_schedule?: readonly number[] | null;
                    /** @description Texts of your own by their names, which change nothing that is sent; or null. */
                    readonly metadata?: {
                        readonly [key: string]: string;
                    } | null;
                    /** @description ed25519: signed with our key pair as well, which public keys verify. */
                    readonly signature?: ("hmac" | "ed25519") | null;
                    /** @description Requests carry `traceparent` (W3C Trace Context), if their event is in a trace. */
                    readonly trace_context?: boolean | null;
                    /** @description Headers that every request carries, by their names; or null. */
                    readonly headers?: {
                        readonly [key: string]: string;
                    } | null;
                };
            };
        };
        readonly responses: {
            /** @description It was made; Location has its address. */
            readonly 201: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getWebhook: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description It has not changed since If-None-Match. */
            readonly 304: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly deleteWebhook: {
        readonly parameters: {
            readonly header?: {
                /** @description An ETag as it came: the request changes that version or none. */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly changeWebhook: {
        readonly parameters: {
            readonly header?: {
                /** @description An ETag as it came: the request changes that version or none. */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "paused": true,
                 *       "description": "Moves on Friday"
                 *     }
                 */
                readonly "application/json": {
                    readonly url?: string;
                    /** @description Kinds of events. `meeting.*` names every kind that begins so, and `*` every kind that is not opt-in, later ones included. Kinds beside a wildcard that covers them are dropped. */
                    readonly events?: readonly string[];
                    readonly enabled?: boolean;
                    /** @description Deliveries wait until it goes on. */
                    readonly paused?: boolean;
                    readonly secret?: string | null;
                    /** @description True sends one delivery after the other. */
                    readonly ordered?: boolean | null;
                    /** @description Requests a second. */
                    readonly rate_limit?: number | null;
                    readonly description?: string | null;
                    readonly filter?: components["schemas"]["Filter"] | null;
                    /** @description Seconds before each retry. */
                    readonly retry_schedule?: readonly number[] | null;
                    /** @description Texts of your own by their names, which change nothing that is sent; or null. */
                    readonly metadata?: {
                        readonly [key: string]: string;
                    } | null;
                    /** @description ed25519: signed with our key pair as well, which public keys verify. */
                    readonly signature?: ("hmac" | "ed25519") | null;
                    /** @description Requests carry `traceparent` (W3C Trace Context), if their event is in a trace. */
                    readonly trace_context?: boolean | null;
                    /** @description Headers that every request carries, by their names; or null. */
                    readonly headers?: {
                        readonly [key: string]: string;
                    } | null;
                };
                /**
                 * @example {
                 *       "paused": true,
                 *       "description": "Moves on Friday"
                 *     }
                 */
                readonly "application/merge-patch+json": {
                    readonly url?: string;
                    /** @description Kinds of events. `meeting.*` names every kind that begins so, and `*` every kind that is not opt-in, later ones included. Kinds beside a wildcard that covers them are dropped. */
                    readonly events?: readonly string[];
                    readonly enabled?: boolean;
                    /** @description Deliveries wait until it goes on. */
                    readonly paused?: boolean;
                    readonly secret?: string | null;
                    /** @description True sends one delivery after the other. */
                    readonly ordered?: boolean | null;
                    /** @description Requests a second. */
                    readonly rate_limit?: number | null;
                    readonly description?: string | null;
                    readonly filter?: components["schemas"]["Filter"] | null;
                    /** @description Seconds before each retry. */
                    readonly retry_schedule?: readonly number[] | null;
                    /** @description Texts of your own by their names, which change nothing that is sent; or null. */
                    readonly metadata?: {
                        readonly [key: string]: string;
                    } | null;
                    /** @description ed25519: signed with our key pair as well, which public keys verify. */
                    readonly signature?: ("hmac" | "ed25519") | null;
                    /** @description Requests carry `traceparent` (W3C Trace Context), if their event is in a trace. */
                    readonly trace_context?: boolean | null;
                    /** @description Headers that every request carries, by their names; or null. */
                    readonly headers?: {
                        readonly [key: string]: string;
                    } | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly configureWebhook: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.org/junction",
                 *       "events": [
                 *         "inbox.organized",
                 *         "draft.created"
                 *       ],
                 *       "enabled": true,
                 *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                 *     }
                 */
                readonly "application/json": {
                    readonly url: string;
                    /** @description Kinds of events. `meeting.*` names every kind that begins so, and `*` every kind that is not opt-in, later ones included. Kinds beside a wildcard that covers them are dropped. */
                    readonly events: readonly string[];
                    /** @description Absent: a new webhook is enabled, and one that is there stays as it is. */
                    readonly enabled?: boolean;
                    /** @description 1 to 256 bytes of UTF-8, without control characters, and without blanks at its ends; one that begins with `whsec_` goes on in base64. Libraries of Standard Webhooks read such a one as it is, best with 24 bytes or more behind it; any other secret they take as the base64 of its bytes. */
                    readonly secret?: string;
                    /** @description True sends one delivery after the other. */
                    readonly ordered?: boolean | null;
                    /** @description Requests a second. */
                    readonly rate_limit?: number | null;
                    readonly description?: string | null;
                    readonly filter?: components["schemas"]["Filter"] | null;
                    /** @description Seconds before each retry. */
                    readonly retry_schedule?: readonly number[] | null;
                    /** @description Texts of your own by their names, which change nothing that is sent; or null. */
                    readonly metadata?: {
                        readonly [key: string]: string;
                    } | null;
                    /** @description ed25519: signed with our key pair as well, which public keys verify. */
                    readonly signature?: ("hmac" | "ed25519") | null;
                    /** @description Requests carry `traceparent` (W3C Trace Context), if their event is in a trace. */
                    readonly trace_context?: boolean | null;
                    /** @description Headers that every request carries, by their names; or null. */
                    readonly headers?: {
                        readonly [key: string]: string;
                    } | null;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description It was made; Location has its address. */
            readonly 201: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly rotateWebhookSecret: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description An ETag as it came: the request changes that version or none. */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly requestBody?: {
            readonly content: {
                /** @example {} */
                readonly "application/json": {
                    /** @description 1 to 256 bytes of UTF-8, without control characters, and without blanks at its ends; one that begins with `whsec_` goes on in base64. Libraries of Standard Webhooks read such a one as it is, best with 24 bytes or more behind it; any other secret they take as the base64 of its bytes. */
                    readonly secret?: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RotatedWebhook"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly rotateSigningKeys: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "compromised": false
                 *     }
                 */
                readonly "application/json": {
                    readonly compromised: boolean;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly kid: string;
                        /** Format: date-time */
                        readonly signs_from: string;
                        /** Format: date-time */
                        readonly others_published_until: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listUsers: {
        readonly parameters: {
            readonly query?: {
                readonly email?: string;
                /** @description Role of the users; closed accounts, which nobody can use, are left out. */
                readonly role?: "operator";
                readonly cursor?: string;
                readonly limit?: number;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["ListedUser"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getUser: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly user: {
                            /** Format: uuid */
                            readonly id: string;
                            readonly masked_email: string | null;
                            readonly origin: string;
                            /** Format: date-time */
                            readonly created_at: string;
                            /** @enum {string} */
                            readonly role: "user" | "operator";
                            readonly email_verified: boolean;
                            /** @description Time at which the user deleted the account, which can be brought back for 72 hours. */
                            readonly closed_at: string | null;
                            readonly counts: {
                                readonly sessions: number;
                                readonly api_keys: number;
                            };
                        };
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly deleteUser: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** @description GET /api/auth/deletion-receipts/{id} says what each service has deleted. */
                        readonly receipt_id: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly removeFactors: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** @description Number of factors that were removed: the authenticator and passkeys. */
                        readonly factors: number;
                        /** @description Number of sessions that were ended. */
                        readonly sessions: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly signOutUsers: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "user_id": "0199d0a4-5a6f-7c30-8e0e-3f4b5a6c7d8e",
                 *       "api_keys": true
                 *     }
                 */
                readonly "application/json": {
                    /** Format: uuid */
                    readonly user_id: string;
                    /**
                     * @description API keys are ended as well.
                     * @default false
                     */
                    readonly api_keys?: boolean;
                } | {
                    /** @constant */
                    readonly everybody: true;
                    /**
                     * @description API keys are ended as well.
                     * @default false
                     */
                    readonly api_keys?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listClients: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["RegisteredClient"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly registerClient: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "billing",
                 *       "grants": [
                 *         {
                 *           "audience": "integrations",
                 *           "scopes": [
                 *             "tokens:read"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    readonly name: string;
                    readonly grants: readonly {
                        /** @enum {string} */
                        readonly audience: "auth" | "integrations" | "webhook-dispatcher";
                        readonly scopes: readonly string[];
                    }[];
                    /** @description Absent: the client gets a secret. */
                    readonly jwks?: {
                        readonly keys: readonly {
                            readonly [key: string]: unknown;
                        }[];
                    };
                };
            };
        };
        readonly responses: {
            /** @description It was made; Location has its address. */
            readonly 201: {
                content: {
                    readonly "application/json": {
                        readonly client_id: string;
                        readonly client_secret: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly revokeClient: {
        readonly parameters: {
            readonly path: {
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly rotateClientSecret: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "overlap_s": 86400
                 *     }
                 */
                readonly "application/json": {
                    /** @description Seconds for which what the client had before counts as well. */
                    readonly overlap_s: number;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** @description Secret, which is shown this once. */
                        readonly client_secret: string;
                        /** Format: date-time */
                        readonly previous_valid_until: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly setClientKeys: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly id: string;
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "jwks": {
                 *         "keys": [
                 *           {
                 *             "kty": "OKP",
                 *             "crv": "Ed25519",
                 *             "x": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                 *             "kid": "key-1"
                 *           }
                 *         ]
                 *       },
                 *       "overlap_s": 86400
                 *     }
                 */
                readonly "application/json": {
                    /** @description A JWK Set of public keys (RFC 7517). */
                    readonly jwks: {
                        readonly keys: readonly {
                            readonly [key: string]: unknown;
                        }[];
                    };
                    /** @description Seconds for which what the client had before counts as well. */
                    readonly overlap_s: number;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** Format: date-time */
                        readonly secrets_valid_until: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly addOperator: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                readonly "application/json": {
                    /** Format: uuid */
                    readonly user_id: string;
                } | {
                    readonly email: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** Format: uuid */
                        readonly user_id: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly removeOperator: {
        readonly parameters: {
            readonly path: {
                readonly user_id: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listFailingWebhooks: {
        readonly parameters: {
            readonly query?: {
                /** @description Only service accounts may filter by it. */
                readonly user_id?: string;
                /** @description Only service accounts may choose it. */
                readonly limit?: number;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["FailingWebhooks"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listPauses: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["SendingPause"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly pauseSending: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "host": "hooks.example.org",
                 *       "paused": true
                 *     }
                 */
                readonly "application/json": {
                    /** @description As lists show it. */
                    readonly host?: string;
                    /** Format: uuid */
                    readonly user_id?: string;
                    readonly paused: boolean;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** @description Webhooks that it is about; 0 also where it was so already. */
                        readonly webhooks: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly operateWebhook: {
        readonly parameters: {
            readonly path: {
                readonly webhook_id: string;
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                readonly "application/json": {
                    readonly enabled: boolean;
                };
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                readonly "application/merge-patch+json": {
                    readonly enabled: boolean;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly webhook_id: string;
                        /** Format: uuid */
                        readonly user_id: string;
                        /** @enum {string} */
                        readonly status: "active" | "paused" | "disabled";
                        readonly disabled_reason: ("user" | "gone_410" | "failing" | "operator") | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listFailingUsers: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["FailingUser"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getBacklog: {
        readonly parameters: {
            readonly query?: {
                /** @description Number of hours that are counted, this one included. */
                readonly hours?: number;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Backlog"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listCircuits: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["OpenCircuit"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly probeCircuit: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly webhook_id: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listShards: {
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["ShardOwner"][];
                        /** @description Shards that nobody has; deliveries wait. */
                        readonly free: readonly number[];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly rotateWebhookKeys: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "compromised": false
                 *     }
                 */
                readonly "application/json": {
                    readonly compromised: boolean;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        /** @description Thumbprint of the key (RFC 7638). */
                        readonly kid: string;
                        /** @description `whpk_` and base64, as Standard Webhooks writes it. */
                        readonly public_key: string;
                        /** Format: date-time */
                        readonly signs_from: string;
                        /**
                         * Format: date-time
                         * @description Time until which the other keys sign beside it, and are published.
                         */
                        readonly others_sign_until: string;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getServiceHealth: {
        readonly parameters: {
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly ready: boolean;
                        readonly failing: readonly string[];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listServiceAccesses: {
        readonly parameters: {
            readonly query?: {
                readonly actor?: string;
                /** @description A moment of RFC 3339. */
                readonly since?: string;
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Access"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listServiceProjections: {
        readonly parameters: {
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Projection"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly rebuildServiceProjection: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
                readonly name: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "text/event-stream": string;
                };
            };
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly discardServiceRebuild: {
        readonly parameters: {
            readonly path: {
                readonly service: components["parameters"]["Service"];
                readonly name: string;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 204: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listServiceConsumers: {
        readonly parameters: {
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["ConsumedPartition"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listServiceDeadLetters: {
        readonly parameters: {
            readonly query?: {
                readonly consumer?: string;
                /** @description Without a prefix. */
                readonly topic?: string;
                /** @description The code of the reason. */
                readonly reason?: string;
                /** @description Only service accounts may filter by it. */
                readonly user_id?: string;
                readonly state?: "open" | "redriven" | "discarded";
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["DeadLetter"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly redriveServiceDeadLetters: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "0199d0a4-5a6f-7c30-8e0e-3f4b5a6c7d8e"
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    readonly ids?: readonly string[];
                    /** @description The oldest 500 open ones that fit. Only service accounts may filter. */
                    readonly filter?: {
                        readonly consumer?: string;
                        /** @description Without a prefix. */
                        readonly topic?: string;
                        /** @description The code of the reason. */
                        readonly reason?: string;
                        /** Format: uuid */
                        readonly user_id?: string;
                    };
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["RedrivenDeadLetters"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listServiceKeys: {
        readonly parameters: {
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["RingKey"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly rotateServiceKeys: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "text/event-stream": string;
                };
            };
            /** @description It was taken, and is done soon. */
            readonly 202: {
                content?: never;
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly diagnoseService: {
        readonly parameters: {
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly findings: readonly components["schemas"]["Finding"][];
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly verifyServiceStreams: {
        readonly parameters: {
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly followServiceEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description Aggregate of the streams; absent: all. */
                readonly category?: string & (unknown & unknown);
                /** @description Absent: what is committed from now on. */
                readonly from?: "beginning";
                /** @description Cursor of the event after which it goes on. */
                readonly cursor?: string;
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listServiceStreams: {
        readonly parameters: {
            readonly query?: {
                /** @description Beginning of the names; absent: all. */
                readonly prefix?: string;
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["StreamHead"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly listServiceStreamEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description Version after which the page begins. */
                readonly cursor?: number;
                /** @description Fewer come when they are large. */
                readonly limit?: number;
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
                readonly stream_id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["StoredEvent"][];
                        /** @description The `cursor` of the next page; null: this was the last. */
                        readonly next_cursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getServiceEvent: {
        readonly parameters: {
            readonly query?: {
                /** @description Stream of the event: without it, events are searched. */
                readonly stream_id?: string & (unknown & unknown);
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
                readonly event_id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["StoredEvent"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getServiceStreamState: {
        readonly parameters: {
            readonly query?: {
                readonly version?: number;
                /** @description Time up to which recorded events count. */
                readonly time?: string;
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
                readonly stream_id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["StreamState"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly resetServiceConsumer: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "consumer": "webhook-dispatcher.assistant",
                 *       "topic": "assistant.events.v1",
                 *       "partition": 3,
                 *       "to": {
                 *         "offset": 4711
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    readonly consumer: string;
                    readonly topic: string;
                    readonly partition: number;
                    /** @description The next record that is read; at a time: the first one from then on. */
                    readonly to: ("beginning" | "end") | {
                        readonly offset: number;
                    } | {
                        /** Format: date-time */
                        readonly time: string;
                    };
                    /**
                     * @description True resets a partition that is being consumed, too.
                     * @default false
                     */
                    readonly force?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly from: number;
                        readonly offset: number;
                        /** @description Records from the offset to the end of the log. */
                        readonly records: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly resetAllServiceConsumers: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly partitions: number;
                        /** @description Records that these partitions have, up to the ends of their logs. */
                        readonly records: number;
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly getServiceDeadLetter: {
        readonly parameters: {
            readonly query?: {
                /** @description Also what was in the record: it may be personal. */
                readonly with_record?: string;
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
                readonly id: string;
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": {
                        readonly dead_letter: components["schemas"]["DeadLetter"];
                        readonly payload_bytes: number;
                        readonly record?: {
                            readonly headers: {
                                readonly [key: string]: string;
                            };
                            /** @description In base64. */
                            readonly payload: string;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly dropServiceDeadLetters: {
        readonly parameters: {
            readonly header?: {
                /** @description Makes the request safe to repeat for 24 hours: a repeat gets the first answer. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                readonly service: components["parameters"]["Service"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "0199d0a4-5a6f-7c30-8e0e-3f4b5a6c7d8e"
                 *       ],
                 *       "note": "Sent by a broken producer."
                 *     }
                 */
                readonly "application/json": {
                    readonly ids?: readonly string[];
                    /** @description The oldest 500 open ones that fit. Only service accounts may filter. */
                    readonly filter?: {
                        readonly consumer?: string;
                        /** @description Without a prefix. */
                        readonly topic?: string;
                        /** @description The code of the reason. */
                        readonly reason?: string;
                        /** Format: uuid */
                        readonly user_id?: string;
                    };
                    /** @description Kept with them, and deleted with them. */
                    readonly note: string;
                };
            };
        };
        readonly responses: {
            /** @description OK */
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["DroppedDeadLetters"];
                };
            };
            readonly default: components["responses"]["Refusal"];
        };
    };
    readonly onInboxOrganized: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "inbox.organized",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "total_emails": 42,
                 *         "categorized": {
                 *           "important": 5,
                 *           "meetings": 3,
                 *           "tasks": 7
                 *         }
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "inbox.organized";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly total_emails: number;
                        readonly categorized: {
                            readonly important: number;
                            readonly meetings: number;
                            readonly tasks: number;
                        } & {
                            readonly [key: string]: unknown;
                        };
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onDraftCreated: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "draft.created",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "draft_id": "draft_81",
                 *         "subject": "Re: Offer",
                 *         "to": [
                 *           "ada@example.com"
                 *         ]
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "draft.created";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        /** @description Which draft it is. */
                        readonly draft_id?: string;
                        /** @description The subject of the draft. */
                        readonly subject?: string;
                        /** @description The addresses it would go to. */
                        readonly to?: readonly string[];
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onMeetingJoined: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "meeting.joined",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "meeting_id": "meeting_17",
                 *         "title": "Weekly planning",
                 *         "notes": "Ship on Friday."
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "meeting.joined";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        /** @description Which meeting it is. */
                        readonly meeting_id?: string;
                        /** @description What the meeting is called. */
                        readonly title?: string;
                        /** @description The notes taken there. */
                        readonly notes?: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onBriefingSent: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "briefing.sent",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "briefing_id": "briefing_4",
                 *         "items": 6
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "briefing.sent";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        /** @description Which briefing it is. */
                        readonly briefing_id?: string;
                        /** @description How many items it has. */
                        readonly items?: number;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onReminderSent: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "reminder.sent",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "reminder_id": "reminder_9",
                 *         "text": "Call Ada back"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "reminder.sent";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        /** @description Which reminder it is. */
                        readonly reminder_id?: string;
                        /** @description What the user is reminded of. */
                        readonly text?: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onWebhookDisabled: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "webhook.disabled",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z",
                 *         "reason": "failing"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "webhook.disabled";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly webhook_id: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                        /** @enum {string} */
                        readonly reason: "gone_410" | "failing";
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onWebhookFailing: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "webhook.failing",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z",
                 *         "since": "2026-01-02T03:04:05.678Z",
                 *         "reason": "http_500"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "webhook.failing";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly webhook_id: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                        /** Format: date-time */
                        readonly since: string;
                        readonly reason: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onWebhookExhausted: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "webhook.exhausted",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z",
                 *         "delivery_id": "dlv_0190f3a0-0000-7000-8000-000000000001",
                 *         "message_id": "msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d",
                 *         "event_type": "draft.created",
                 *         "attempts": 10,
                 *         "reason": "http_500"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "webhook.exhausted";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly webhook_id: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                        readonly delivery_id: string;
                        readonly message_id: string;
                        readonly event_type: string;
                        readonly attempts: number;
                        readonly reason: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onWebhookRefused: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "webhook.refused",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z",
                 *         "reason": "url_private_address"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "webhook.refused";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly webhook_id: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                        readonly reason: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onWebhookRecovered: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "webhook.recovered",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "webhook.recovered";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly webhook_id: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onIntegrationConnected: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "integration.connected",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "provider": "mailbox",
                 *         "integration_id": "con_0198c0de-0123-7abc-8def-00000000abcd",
                 *         "identity_provider": "google",
                 *         "account": "ada@example.com",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "integration.connected";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly provider: string;
                        readonly integration_id: string;
                        readonly identity_provider: string;
                        readonly account: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onIntegrationDegraded: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "integration.degraded",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "provider": "mailbox",
                 *         "integration_id": "con_0198c0de-0123-7abc-8def-00000000abcd",
                 *         "identity_provider": "google",
                 *         "account": "ada@example.com",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z",
                 *         "reason": "http_503"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "integration.degraded";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly provider: string;
                        readonly integration_id: string;
                        readonly identity_provider: string;
                        readonly account: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                        readonly reason: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onIntegrationRecovered: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "integration.recovered",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "provider": "mailbox",
                 *         "integration_id": "con_0198c0de-0123-7abc-8def-00000000abcd",
                 *         "identity_provider": "google",
                 *         "account": "ada@example.com",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "integration.recovered";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly provider: string;
                        readonly integration_id: string;
                        readonly identity_provider: string;
                        readonly account: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onIntegrationReconnectRequired: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "integration.reconnect_required",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "provider": "mailbox",
                 *         "integration_id": "con_0198c0de-0123-7abc-8def-00000000abcd",
                 *         "identity_provider": "google",
                 *         "account": "ada@example.com",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z",
                 *         "reason": "invalid_grant"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "integration.reconnect_required";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly provider: string;
                        readonly integration_id: string;
                        readonly identity_provider: string;
                        readonly account: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                        readonly reason: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
    readonly onIntegrationDisconnected: {
        readonly parameters: {
            readonly header: {
                /** @description The same in every attempt: drop what you have seen. */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /** @description When this attempt was made, in seconds since 1970. */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                /** @description Of Standard Webhooks; absent without a secret, unless `signature` is ed25519. */
                readonly "webhook-signature"?: components["parameters"]["WebhookSignature"];
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret. */
                readonly "X-Service-Signature"?: components["parameters"]["ServiceSignature"];
                /** @description W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace. */
                readonly traceparent?: components["parameters"]["Traceparent"];
            };
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "event_type": "integration.disconnected",
                 *       "user_id": "0198c0de-0123-7abc-8def-000000000001",
                 *       "data": {
                 *         "provider": "mailbox",
                 *         "integration_id": "con_0198c0de-0123-7abc-8def-00000000abcd",
                 *         "identity_provider": "google",
                 *         "account": "ada@example.com",
                 *         "occurred_at": "2026-01-02T03:04:05.678Z",
                 *         "reason": "user"
                 *       },
                 *       "timestamp": "2026-01-02T03:04:05.678Z",
                 *       "webhook_id": "wh_0190f3a0-0000-7000-8000-000000000000"
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly event_type: "integration.disconnected";
                    /** Format: uuid */
                    readonly user_id: string;
                    readonly data: {
                        readonly provider: string;
                        readonly integration_id: string;
                        readonly identity_provider: string;
                        readonly account: string;
                        /** Format: date-time */
                        readonly occurred_at: string;
                        readonly reason: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** Format: date-time */
                    readonly timestamp: string;
                    readonly webhook_id: string;
                };
            };
        };
        readonly responses: {
            /** @description It has arrived. Anything else is tried again. */
            readonly "2XX": {
                content?: never;
            };
        };
    };
}

/** The paths whose POST takes an Idempotency-Key. */
export const KEYED_POSTS: ReadonlySet<string> = new Set([
    "/api/portal-links",
    "/api/auth/api-keys",
    "/api/auth/api-keys/{id}/rotate",
    "/api/auth/passkeys/registration-options",
    "/api/auth/passkeys",
    "/api/integrations/{provider}/connect",
    "/api/integrations/{integrationId}/primary",
    "/api/webhooks/filter-preview",
    "/api/webhooks/{id}/replay",
    "/api/webhooks/{id}/test",
    "/api/webhooks/{id}/probe",
    "/api/webhooks/{id}/deliveries/{deliveryId}/redeliver",
    "/api/webhooks",
    "/api/webhooks/configure",
    "/api/webhooks/{id}/rotate-secret",
    "/api/ops/auth/signing-keys/rotate",
    "/api/ops/auth/users/{id}/remove-factors",
    "/api/ops/auth/sign-outs",
    "/api/ops/auth/clients",
    "/api/ops/auth/clients/{id}/rotate-secret",
    "/api/ops/auth/clients/{id}/keys",
    "/api/ops/auth/operators",
    "/api/ops/webhook-dispatcher/pauses",
    "/api/ops/webhook-dispatcher/circuits/{webhook_id}/probe",
    "/api/ops/webhook-dispatcher/webhook-keys/rotate",
    "/api/ops/{service}/projections/{name}/rebuild",
    "/api/ops/{service}/dead-letters/redrive",
    "/api/ops/{service}/keys/rotate",
    "/api/ops/{service}/consumers/reset",
    "/api/ops/{service}/consumers/reset-all",
    "/api/ops/{service}/dead-letters/drop"
]);

/** The paths whose POST takes a form. */
export const FORM_POSTS: ReadonlySet<string> = new Set([
    "/oauth/token"
]);

/** Parameters of the queries of GET, by path, for programs that make options or forms of them. */
export const QUERIES: Readonly<Record<string, readonly QueryParameter[]>> = {
    "/api/auth/unsubscribe": [{"name":"token","type":"string","minLength":1,"maxLength":200}],
    "/api/auth/session/issuer": [{"name":"next","type":"string","maxLength":2000}],
    "/api/integrations/{provider}/authorize": [{"name":"identity_provider","type":"string","minLength":1,"maxLength":100},{"name":"return_to","type":"string","minLength":1,"maxLength":2048}],
    "/api/integrations/{integration}/history": [{"name":"limit","default":50,"type":"integer","minimum":1,"maximum":100},{"name":"cursor","type":"string"}],
    "/api/webhooks/stream": [{"name":"webhook_id","type":"string"}],
    "/api/events": [{"name":"limit","type":"integer","minimum":1,"maximum":200},{"name":"event_type","type":"string"},{"name":"kind","description":"The earlier name of `event_type`, which goes with the next release.","type":"string"},{"name":"cursor","type":"string"}],
    "/api/webhooks/stats": [{"name":"from","type":"string"},{"name":"to","type":"string"},{"name":"step","description":"Counts by kind and response in `steps` too, so far apart; 5m within a day at most.","type":"string","enum":["5m","1h","6h"]},{"name":"webhook_id","description":"Counts this one alone.","type":"string"},{"name":"webhook_ids","description":"Up to 100, with commas between: counts these alone, and each by itself in `webhooks`. Those that the caller does not have are left out.","type":"string"}],
    "/api/webhooks/operations": [{"name":"cursor","type":"string"},{"name":"limit","type":"integer","minimum":1,"maximum":200},{"name":"webhook_id","type":"string"}],
    "/api/deliveries": [{"name":"cursor","type":"string"},{"name":"limit","type":"integer","minimum":1,"maximum":200},{"name":"status","description":"Status, or several with commas between.","type":"string","pattern":"^(?:pending|retrying|held|succeeded|exhausted|refused|cancelled)(?:,(?:pending|retrying|held|succeeded|exhausted|refused|cancelled))*$"},{"name":"sent_again","description":"`false`: those alone that were not sent again since; `true`: the others.","type":"string","enum":["true","false"]},{"name":"event_type","type":"string"},{"name":"kind","description":"The earlier name of `event_type`, which goes with the next release.","type":"string"},{"name":"http_status","description":"The status that the last attempt was answered with, 500, or its class, 5xx.","type":"string","pattern":"^[1-5](?:\\d\\d|xx)$"},{"name":"message_id","type":"string"},{"name":"text","description":"Held by an id, the kind, the reason, or the body, as it was sent or as it reads without the escapes of JSON; case makes no difference. Bodies are opened to look: a page ends when it is full or after some seconds, and says how far it came.","type":"string","minLength":1,"maxLength":200},{"name":"from","type":"string"},{"name":"to","type":"string"},{"name":"webhook_id","type":"string"},{"name":"format","description":"Answers with a file of all that the filter lets through, 10,000 at most, as CSV or with a JSON object a line. What is behind its last row is had with that delivery_id as the cursor.","type":"string","enum":["csv","jsonl"]}],
    "/api/webhooks": [{"name":"cursor","type":"string"},{"name":"state","type":"string","enum":["active","failing","paused","disabled"]},{"name":"limit","type":"integer","minimum":1,"maximum":200}],
    "/api/ops/auth/users": [{"name":"email","type":"string","maxLength":1000},{"name":"role","description":"Role of the users; closed accounts, which nobody can use, are left out.","type":"string","enum":["operator"]},{"name":"cursor","type":"string"},{"name":"limit","default":50,"type":"integer","minimum":1,"maximum":100}],
    "/api/ops/webhook-dispatcher/failing-webhooks": [{"name":"user_id","description":"Only service accounts may filter by it.","type":"string","format":"uuid","pattern":"^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$"},{"name":"limit","description":"Only service accounts may choose it.","default":100,"type":"integer","minimum":1,"maximum":1000}],
    "/api/ops/webhook-dispatcher/pauses": [{"name":"limit","default":100,"type":"integer","minimum":1,"maximum":1000}],
    "/api/ops/webhook-dispatcher/failing-users": [{"name":"limit","default":100,"type":"integer","minimum":1,"maximum":1000}],
    "/api/ops/webhook-dispatcher/backlog": [{"name":"hours","description":"Number of hours that are counted, this one included.","default":24,"type":"integer","minimum":1,"maximum":168}],
    "/api/ops/webhook-dispatcher/circuits": [{"name":"limit","default":100,"type":"integer","minimum":1,"maximum":1000}],
    "/api/ops/{service}/audit": [{"name":"actor","type":"string","maxLength":200,"pattern":"^[\\w.:-]+$"},{"name":"since","description":"A moment of RFC 3339.","type":"string","format":"date-time"},{"name":"cursor","type":"string"},{"name":"limit","default":100,"type":"integer","minimum":1,"maximum":200}],
    "/api/ops/{service}/dead-letters": [{"name":"consumer","type":"string","maxLength":200,"pattern":"^[\\w.:-]+$"},{"name":"topic","description":"Without a prefix.","type":"string","maxLength":200,"pattern":"^[\\w.:-]+$"},{"name":"reason","description":"The code of the reason.","type":"string","maxLength":200,"pattern":"^[\\w.:-]+$"},{"name":"user_id","description":"Only service accounts may filter by it.","type":"string","format":"uuid","pattern":"^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$"},{"name":"state","default":"open","type":"string","enum":["open","redriven","discarded"]},{"name":"cursor","type":"string","format":"uuid","pattern":"^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$"},{"name":"limit","default":100,"type":"integer","minimum":1,"maximum":200}],
    "/api/ops/{service}/events/stream": [{"name":"category","description":"Aggregate of the streams; absent: all.","type":"string","maxLength":200,"allOf":[{"pattern":"^[\\w.:-]+$"},{"pattern":"^[^-]+$"}]},{"name":"from","description":"Absent: what is committed from now on.","type":"string","enum":["beginning"]},{"name":"cursor","description":"Cursor of the event after which it goes on.","type":"string"}],
    "/api/ops/{service}/streams": [{"name":"prefix","description":"Beginning of the names; absent: all.","type":"string","maxLength":200,"pattern":"^[\\w.:-]+$"},{"name":"cursor","type":"string","maxLength":200,"pattern":"^[\\w.:-]+$"},{"name":"limit","default":100,"type":"integer","minimum":1,"maximum":1000}],
    "/api/ops/{service}/streams/{stream_id}/events": [{"name":"cursor","description":"Version after which the page begins.","default":0,"type":"integer","minimum":0,"maximum":2147483647},{"name":"limit","description":"Fewer come when they are large.","default":100,"type":"integer","minimum":1,"maximum":1000}],
    "/api/ops/{service}/events/{event_id}": [{"name":"stream_id","description":"Stream of the event: without it, events are searched.","type":"string","maxLength":200,"allOf":[{"pattern":"^[\\w.:-]+$"},{"pattern":"^[^-]+-."}]}],
    "/api/ops/{service}/streams/{stream_id}/state": [{"name":"version","type":"integer","minimum":0,"maximum":2147483647},{"name":"time","description":"Time up to which recorded events count.","type":"string","format":"date-time"}],
    "/api/ops/{service}/dead-letters/{id}": [{"name":"with_record","description":"Also what was in the record: it may be personal.","type":"string"}],
};

export interface QueryParameter {
    readonly name: string;
    readonly description?: string;
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly minimum?: number;
    readonly maximum?: number;
    readonly format?: string;
    readonly default?: unknown;
    readonly [keyword: string]: unknown;
}

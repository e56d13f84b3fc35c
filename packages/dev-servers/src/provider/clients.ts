import type { ClientMetadata } from 'oidc-provider';
import { ACME, GLOBEX } from './profile.js';
import { API_SCOPE } from './scopes.js';

/** An app that may ask for access, in the words of RFC 7591. */
export interface DevClient {
  readonly client_id: string;
  /** Absent: a public client. */
  readonly client_secret?: string;
  /** Name of the app on the pages; absent: they show its id. */
  readonly client_name?: string;
  readonly redirect_uris: readonly string[];
  /** Address to which security events about its users are sent (RFC 8935); absent: none are sent. */
  readonly security_events_uri?: string;
  /** Whether the app must push its authorization requests (RFC 9126, section 6). */
  readonly require_pushed_authorization_requests?: boolean;
  /** Scopes that the app may request at most, separated by spaces. */
  readonly scope: string;
}

const app =
  (name: string, scopes: readonly string[]) =>
  (id: string, secret: string, redirectUri: string, eventsUri?: string): DevClient => ({
    client_id: id,
    client_secret: secret,
    client_name: name,
    ...(eventsUri !== undefined && { security_events_uri: eventsUri }),
    redirect_uris: [redirectUri],
    scope: ['openid', 'email', 'offline_access', ...scopes].join(' '),
  });

/** The app for mailboxes, as Acme registers it. */
export const mailboxClient = app('Junction Mailbox', ACME.scopes.mailbox);

/** The app for calendars, as Acme registers it. */
export const calendarClient = app('Junction Calendar', ACME.scopes.calendar);

/** The app for mailboxes, as Globex registers it. */
export const globexMailboxClient = app('Junction Mailbox', GLOBEX.scopes.mailbox);

/** The app for calendars, as Globex registers it. */
export const globexCalendarClient = app('Junction Calendar', GLOBEX.scopes.calendar);

/** The app that signs users in, as Acme registers it: it may ask for access tokens of the API as well. */
export const signInClient = (id: string, redirectUri: string): DevClient => ({
  client_id: id,
  client_name: 'Junction',
  redirect_uris: [redirectUri],
  scope: `openid ${API_SCOPE}`,
});

export const clientMetadata = ({
  security_events_uri: _notOfTheProtocol,
  ...client
}: DevClient): ClientMetadata => ({
  ...client,
  ...(client.client_secret === undefined && { token_endpoint_auth_method: 'none' as const }),
  redirect_uris: [...client.redirect_uris],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
});

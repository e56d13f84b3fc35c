import * as client from 'openid-client';
import { calendarClient, mailboxClient } from '../src/provider/clients.js';
import type { DevProvider } from '../src/provider/start.js';
import { type Walk, walkConsent } from '../src/provider/walk/walk-consent.js';

const MAILBOX_CALLBACK = 'http://localhost:8080/connect/acme/mailbox/callback';
const CALENDAR_CALLBACK = 'http://localhost:8080/connect/acme/calendar/callback';

export const MAILBOX_SCOPE = 'openid offline_access mailbox.readonly mailbox.send mailbox.modify';
export const CALENDAR_SCOPE = 'openid offline_access calendar.readonly calendar.events';

export const clients = [
  mailboxClient('junction-mailbox', 'mailbox-secret', MAILBOX_CALLBACK),
  calendarClient('junction-calendar', 'calendar-secret', CALENDAR_CALLBACK),
];

export const anna = { email: 'anna@example.org', password: 'anything' };

/** An app of somebody else's making: openid-client, with what it was registered for. */
export interface App {
  readonly config: client.Configuration;
  readonly redirectUri: string;
  readonly scope: string;
}

export const mailboxAt = async ({ issuer }: Pick<DevProvider, 'issuer'>): Promise<App> => ({
  config: await discover(issuer, 'junction-mailbox', 'mailbox-secret'),
  redirectUri: MAILBOX_CALLBACK,
  scope: MAILBOX_SCOPE,
});

export const calendarAt = async ({ issuer }: DevProvider): Promise<App> => ({
  config: await discover(issuer, 'junction-calendar', 'calendar-secret'),
  redirectUri: CALENDAR_CALLBACK,
  scope: CALENDAR_SCOPE,
});

const discover = async (issuer: string, id: string, secret: string) =>
  client.discovery(new URL(issuer), id, secret, undefined, {
    execute: [client.allowInsecureRequests],
  });

export async function authorizationOf({ config, redirectUri, scope }: App) {
  const verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    prompt: 'consent',
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { url, verifier, state, nonce };
}

type Request = Awaited<ReturnType<typeof authorizationOf>>;

export const redeem = async ({ config }: App, { verifier, state, nonce }: Request, callback: URL) =>
  client.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });

export async function connect(app: App, walk: Walk) {
  const request = await authorizationOf(app);
  return redeem(app, request, await walkConsent(request.url, walk));
}

export const walkOf = (person: typeof anna): Walk => ({ ...person, allow: true });

export const refresh = async (
  { config }: App,
  { refresh_token = '' }: { refresh_token?: string },
) => client.refreshTokenGrant(config, refresh_token);

export const isActive = async ({ config }: App, token: string): Promise<boolean> =>
  (await client.tokenIntrospection(config, token)).active;

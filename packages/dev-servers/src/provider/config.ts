import { z } from 'zod';
import {
  calendarClient,
  type DevClient,
  globexCalendarClient,
  globexMailboxClient,
  mailboxClient,
  signInClient,
} from './clients.js';
import { ACME, PROFILES, type Profile } from './profile.js';
import type { Lifetimes } from './provider.js';
import { supportedScopes } from './scopes.js';

export interface Config {
  readonly profile: Profile;
  readonly port: number;
  readonly host: string;
  readonly issuer: string;
  readonly clients: readonly DevClient[];
  readonly dataFile: string | undefined;
  readonly lifetimes: Partial<Lifetimes>;
  /** Whether the control answers over HTTP. */
  readonly control: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment, or throws one error that names every mistake in it. */
export function parseConfig(env: Environment): Config {
  const mistakes: string[] = [];

  const whole = (name: string, max: number): number | undefined => {
    const text = env[name];
    if (!text) return undefined;
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1 && value <= max) return value;
    mistakes.push(`${name} must be a whole number from 1 to ${max}`);
    return undefined;
  };

  const url = (name: string, otherwise: string): string => {
    const text = env[name] || otherwise;
    if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
      mistakes.push(`${name} must be an http or https URL`);
    }
    return text;
  };

  const profile = profileIn(env, mistakes);
  const port = whole('PROVIDER_PORT', 65_535) ?? profile.port;
  const accessTokenS = whole('PROVIDER_ACCESS_TOKEN_TTL_S', 86_400);
  const refreshTokenS = whole('PROVIDER_REFRESH_TOKEN_TTL_S', 31_536_000);
  const config: Config = {
    profile,
    port,
    host: env['PROVIDER_HOST'] || '127.0.0.1',
    issuer: url('PROVIDER_ISSUER', `http://localhost:${port}`),
    clients: clientsIn(env, profile, url, mistakes),
    dataFile: env['PROVIDER_DATA_FILE'] || undefined,
    lifetimes: {
      ...(accessTokenS && { accessTokenS }),
      ...(refreshTokenS && { refreshTokenS }),
    },
    control: env['PROVIDER_CONTROL'] === 'true',
  };
  if (mistakes.length > 0) throw new Error(`The environment is wrong:\n- ${mistakes.join('\n- ')}`);
  return config;
}

function profileIn(env: Environment, mistakes: string[]): Profile {
  const wanted = env['PROVIDER_PROFILE'] || ACME.id;
  const profile = PROFILES.find(({ id }) => id === wanted);
  if (!profile) {
    mistakes.push(`PROVIDER_PROFILE must be ${PROFILES.map(({ id }) => id).join(' or ')}`);
  }
  return profile ?? ACME;
}

/** Functions that make the two clients of each provider. */
const REGISTER = {
  acme: { mailbox: mailboxClient, calendar: calendarClient },
  globex: { mailbox: globexMailboxClient, calendar: globexCalendarClient },
};

/** PROVIDER_CLIENTS if it is set, otherwise one client for mailboxes, one for calendars, one to sign in. */
function clientsIn(
  env: Environment,
  profile: Profile,
  url: (name: string, otherwise: string) => string,
  mistakes: string[],
): readonly DevClient[] {
  const json = env['PROVIDER_CLIENTS'];
  if (json) return parseClients(json, profile, mistakes);

  const secret = (name: string): string => {
    if (!env[name]) mistakes.push(`${name} must be set`);
    return env[name] ?? '';
  };
  const eventsUri = (name: string) => (env[name] ? url(name, '') : undefined);
  const callback = (kind: string) => `http://localhost:8080/connect/${profile.id}/${kind}/callback`;
  const register = REGISTER[profile.id];
  return [
    register.mailbox(
      env['MAILBOX_CLIENT_ID'] || 'junction-mailbox',
      secret('MAILBOX_CLIENT_SECRET'),
      url('MAILBOX_REDIRECT_URI', callback('mailbox')),
      eventsUri('MAILBOX_EVENTS_URI'),
    ),
    register.calendar(
      env['CALENDAR_CLIENT_ID'] || 'junction-calendar',
      secret('CALENDAR_CLIENT_SECRET'),
      url('CALENDAR_REDIRECT_URI', callback('calendar')),
      eventsUri('CALENDAR_EVENTS_URI'),
    ),
    ...(profile.hasApi
      ? [
          signInClient(
            'junction-sign-in',
            url(
              'SIGN_IN_REDIRECT_URI',
              `http://localhost:8080/api/auth/sign-in/${profile.id}/callback`,
            ),
          ),
        ]
      : []),
  ];
}

function parseClients(json: string, profile: Profile, mistakes: string[]): readonly DevClient[] {
  const known = supportedScopes(profile);
  const scope = z.string().refine((text) => text.split(' ').every((name) => known.includes(name)));
  const { data } = jsonText.pipe(z.array(client.extend({ scope })).min(1)).safeParse(json);
  if (data) return data;
  mistakes.push(
    'PROVIDER_CLIENTS must be a JSON array of {client_id, client_secret?, redirect_uris, scope, ' +
      `client_name?, security_events_uri?, require_pushed_authorization_requests?}, its scopes among ${known.join(' ')}`,
  );
  return [];
}

const jsonText = z.string().transform((text): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
});
const client = z.looseObject({
  client_id: z.string().min(1),
  client_secret: z.string().min(1).exactOptional(),
  client_name: z.string().exactOptional(),
  redirect_uris: z.array(z.url()),
  security_events_uri: z.url().exactOptional(),
  require_pushed_authorization_requests: z.boolean().exactOptional(),
});

import type { Profile } from './profile.js';

/** The API that access tokens are for when an app names it (RFC 8707). Tokens without it open nothing. */
export const API_RESOURCE = 'urn:junction:api';
export const API_AUDIENCE = 'junction-api';
export const API_SCOPE = 'junction';

const SIGN_IN = {
  openid: 'Know which account this is',
  email: 'See your e-mail address',
  offline_access: 'Keep this access while you are away, until you revoke it',
};

/** Permissions behind each scope, in the words of the consent and account pages. */
const IN_PLAIN_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...SIGN_IN,
    [API_SCOPE]: 'Use Junction in your name',
    'mailbox.readonly': 'Read e-mail metadata: subjects, senders, dates',
    'mailbox.send': 'Send e-mails on your behalf',
    'mailbox.modify': 'Organize e-mails: labels, categories',
    'calendar.readonly': 'Read calendar events',
    'calendar.events': 'See the details of meetings',
    'mail.read': 'See who wrote to you, when, and about what',
    'mail.send': 'Send e-mails in your name',
    'mail.write': 'Sort your e-mails into labels and categories',
    'cal.read': 'See what is in your calendar',
    'cal.events': 'See who takes part in your meetings, and where',
  }),
);

/** Scopes that come with signing in, so the consent page names them without a choice. */
const ALWAYS_GRANTED = [...Object.keys(SIGN_IN), API_SCOPE];

/** Returns the scopes that a provider with this profile knows. */
export const supportedScopes = ({ hasApi, scopes }: Profile): readonly string[] => [
  ...Object.keys(SIGN_IN),
  ...(hasApi ? [API_SCOPE] : []),
  ...scopes.mailbox,
  ...scopes.calendar,
];

export const inPlainWords = (scope: string): string => IN_PLAIN_WORDS.get(scope) ?? scope;

export const isOptional = (scope: string): boolean => !ALWAYS_GRANTED.includes(scope);

/** The scopes of a request that the pages have words for, in the order of the request. */
export const scopesOf = (scope: unknown): readonly string[] =>
  typeof scope === 'string' ? scope.split(' ').filter((name) => IN_PLAIN_WORDS.has(name)) : [];

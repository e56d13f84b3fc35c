/** What each scope lets an app do, in the words of the consent and account pages. */
const IN_PLAIN_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    openid: 'Know which account this is',
    email: 'See your e-mail address',
    offline_access: 'Keep this access while you are away, until you revoke it',
    'mailbox.readonly': 'Read e-mail metadata: subjects, senders, dates',
    'mailbox.send': 'Send e-mails on your behalf',
    'mailbox.modify': 'Organize e-mails: labels, categories',
    'calendar.readonly': 'Read calendar events',
    'calendar.events': 'See the details of meetings',
  }),
);

export const SUPPORTED_SCOPES: readonly string[] = [...IN_PLAIN_WORDS.keys()];

/** These come with signing in, so the consent page names them without a choice. */
const ALWAYS_GRANTED: ReadonlySet<string> = new Set(['openid', 'email', 'offline_access']);

export const inPlainWords = (scope: string): string => IN_PLAIN_WORDS.get(scope) ?? scope;

export const isOptional = (scope: string): boolean => !ALWAYS_GRANTED.has(scope);

/** The scopes of a request that this provider knows, in the order of the request. */
export const scopesOf = (scope: unknown): readonly string[] =>
  typeof scope === 'string' ? scope.split(' ').filter((name) => IN_PLAIN_WORDS.has(name)) : [];

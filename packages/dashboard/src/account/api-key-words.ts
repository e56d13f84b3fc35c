/** Scopes that a key can be limited to. */
export const SCOPES = [
  { value: 'integrations:read', label: 'See integrations' },
  { value: 'integrations:write', label: 'Connect and disconnect' },
  { value: 'webhooks:read', label: 'See webhooks and deliveries' },
  { value: 'webhooks:write', label: 'Change webhooks' },
  { value: 'account:read', label: 'See the account' },
] as const;

/** Scope of a key that is not limited. */
const FULL = 'api';

export const scopeWords = (scopes: readonly string[]): string =>
  scopes.includes(FULL) ? 'the whole API' : scopes.join(', ');

/** Lifetimes of the keys of a trusted issuer's user, which must end. */
const SHORT_LIFETIMES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
];
const LIFETIMES = [
  ...SHORT_LIFETIMES,
  { value: '365', label: 'In 1 year' },
  { value: '', label: 'Never' },
];

export const lifetimesOf = ({ isElsewhere }: { readonly isElsewhere: boolean }) =>
  isElsewhere ? SHORT_LIFETIMES : LIFETIMES;

const DAY_MS = 86_400_000;

/** When a key ends that is made now; undefined: never. */
export const expiryOf = (days: string, now: Date): string | undefined =>
  days === '' ? undefined : new Date(now.getTime() + Number(days) * DAY_MS).toISOString();

/** Seconds. */
export const OVERLAPS = [
  { value: '86400', label: '1 day' },
  { value: '3600', label: '1 hour' },
  { value: '604800', label: '7 days' },
  { value: '0', label: 'Not at all' },
];

import type { RecoveredTokens } from '../../application/provider-error.js';
import { objectIn } from './answer-text.js';

const SECOND_MS = 1_000;
const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const LIFETIME_MAX_S = 366 * 24 * HOUR_S;
/** Number beyond which nothing is a lifetime in seconds: thirty years. */
const SECONDS_MAX = 1e9;

/** Spellings of Bearer, for instance Apigee's BearerToken. RFC 6749, section 5.1: the case means nothing. */
const BEARER = /^\s*bearer[\s_-]*(token)?\s*$/i;

/** A token answer that the OAuth library takes, and what must not be lost if it does not after all. */
export interface NormalTokenResponse {
  readonly body: Readonly<Record<string, string | number>>;
  readonly tokens: RecoveredTokens;
}

/**
 * Providers answer with odd fields, and the library then throws the whole answer away, the only good
 * refresh token with it. Here each field is taken if it can be used and left out otherwise. A lifetime
 * that says nothing (absent, less than a second, negative, null, no number) is an hour.
 */
export function normalTokenResponse(
  json: Readonly<Record<string, unknown>>,
  nowMs = Date.now(),
): NormalTokenResponse {
  const accessToken = accessTokenIn(json);
  const refreshToken = textIn(json, 'refresh_token');
  const tokenType = textIn(json, 'token_type');
  // Bitbucket names the field in the plural.
  const scope = scopeIn(json['scope'] ?? json['scopes']);
  return {
    body: {
      ...(accessToken !== undefined && { access_token: accessToken }),
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(scope !== undefined && { scope }),
      // Without one it can be nothing else; another one is not for us.
      token_type: tokenType === undefined || BEARER.test(tokenType) ? 'bearer' : tokenType,
      expires_in: lifetimeIn(json, nowMs / SECOND_MS),
    },
    tokens: {
      ...(accessToken !== undefined && { accessToken }),
      ...(refreshToken !== undefined && { refreshToken }),
    },
  };
}

function textIn(json: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = json[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Returns an access token of printable ASCII (RFC 6749, appendix A.12). Other tokens could not be sent in a header, or
 * would break it.
 */
function accessTokenIn(json: Readonly<Record<string, unknown>>): string | undefined {
  const token = textIn(json, 'access_token');
  return token !== undefined && /^[\x20-\x7e]+$/.test(token) ? token : undefined;
}

/** Fields that say how long an access token lives, or until when; the first that can be read counts. */
const LIFETIME_FIELDS = [
  'expires_in',
  // Zoho's, beside an expires_in in milliseconds.
  'expires_in_sec',
  'expires_at',
  'expires_on',
  'expires',
  '.expires',
];

/** Returns the seconds that the access token lives. */
function lifetimeIn(json: Readonly<Record<string, unknown>>, nowS: number): number {
  for (const field of LIFETIME_FIELDS) {
    const number = numberIn(json[field]);
    const seconds = number === undefined ? undefined : secondsIn(number, nowS);
    if (seconds !== undefined) return seconds;
  }
  return HOUR_S;
}

/** A moment that names its zone: ISO 8601, or as in the fields of HTTP (RFC 9110, section 5.6.7). */
const MOMENT = /^(\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2}, ).*(Z|GMT|[+-]\d\d:?\d\d)$/;

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return MOMENT.test(value) ? Date.parse(value) / SECOND_MS : Number(value);
}

/**
 * Returns the lifetime that a number means: seconds (RFC 6749, section 5.1), or a moment within a year, in seconds or
 * milliseconds of Unix time, or milliseconds, which whole minutes of up to two hours or whole hours are taken for. Of
 * two readings the shorter counts, because a token that is believed in for too long fails its worker. Undefined for a
 * number that cannot be a lifetime.
 */
function secondsIn(number: number, nowS: number): number | undefined {
  if (!(number >= 1)) return undefined;
  const isPossible = (seconds: number) => seconds >= 1 && seconds <= LIFETIME_MAX_S;
  const moment = [number, number / SECOND_MS].map((atS) => atS - nowS).find(isPossible);
  if (moment !== undefined) return moment;
  const ofMs = number / SECOND_MS;
  if (isRound(ofMs) && isPossible(ofMs)) return ofMs;
  return number < SECONDS_MAX ? Math.min(number, LIFETIME_MAX_S) : undefined;
}

/** Tells whether people would choose this many seconds, which some servers answer less one. */
const isRound = (seconds: number): boolean =>
  [seconds, seconds + 1].some(
    (s) => s >= MINUTE_S && s % (s > 2 * HOUR_S ? HOUR_S : MINUTE_S) === 0,
  );

/**
 * Returns the scopes as one text with blanks, as RFC 6749 has it. Some providers send a list, also as the text of one,
 * or put commas between them; or plus signs or semicolons, which count where nothing else stands between scopes. An
 * empty text grants nothing.
 */
function scopeIn(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const names = value.filter((name) => typeof name === 'string');
    return names.length === 0 && value.length > 0 ? undefined : scopeIn(names.join(' '));
  }
  if (typeof value !== 'string') return undefined;
  const list = /^\s*\[.*\]\s*$/s.test(value) ? listIn(value) : undefined;
  if (list !== undefined) return scopeIn(list);
  const text = value.replaceAll('%20', ' ').replaceAll(',', ' ').trim();
  return /\s/.test(text) ? text : text.replace(/[+;]/g, ' ');
}

function listIn(text: string): unknown {
  const list = objectIn(`{"list":${text}}`)?.['list'];
  return Array.isArray(list) ? list : undefined;
}

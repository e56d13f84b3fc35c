import type { RecoveredTokens } from '../../application/provider-error.js';

const DEFAULT_LIFETIME_S = 3_600;
const LIFETIME_MAX_S = 366 * 86_400;

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
export function normalTokenResponse(json: Readonly<Record<string, unknown>>): NormalTokenResponse {
  const accessToken = accessTokenIn(json);
  const refreshToken = textIn(json, 'refresh_token');
  const idToken = textIn(json, 'id_token');
  const tokenType = textIn(json, 'token_type');
  const scope = scopeIn(json['scope']);
  return {
    body: {
      ...(accessToken !== undefined && { access_token: accessToken }),
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(idToken !== undefined && { id_token: idToken }),
      ...(scope !== undefined && { scope }),
      // Without one it can be nothing else; another one is not for us.
      token_type: tokenType ?? 'bearer',
      expires_in: lifetimeIn(json['expires_in']),
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

function lifetimeIn(value: unknown): number {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds >= 1)) return DEFAULT_LIFETIME_S;
  return Math.min(seconds, LIFETIME_MAX_S);
}

/**
 * Returns the scopes as one text with blanks, as RFC 6749 has it; some providers send a list, or commas. An empty text
 * grants nothing.
 */
function scopeIn(value: unknown): string | undefined {
  const names = Array.isArray(value) ? value : [value];
  if (!names.every((name) => typeof name === 'string')) return undefined;
  return names.join(' ').replaceAll(',', ' ').trim();
}

import type { Store } from './store.js';
import type { Transmitter } from './transmitter.js';

/** RISC 1.0 with the OAuth event types, and CAEP 1.0. */
const TYPES = {
  'tokens-revoked': 'https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked',
  'token-revoked': 'https://schemas.openid.net/secevent/oauth/event-type/token-revoked',
  'account-disabled': 'https://schemas.openid.net/secevent/risc/event-type/account-disabled',
  'session-revoked': 'https://schemas.openid.net/secevent/caep/event-type/session-revoked',
  'credential-change': 'https://schemas.openid.net/secevent/caep/event-type/credential-change',
} as const;

/** An event of an account, named by the last words of its event type. */
export type SecurityEventType = keyof typeof TYPES;

export const SECURITY_EVENT_TYPES = Object.keys(TYPES) as SecurityEventType[];

export const isSecurityEventType = (name: unknown): name is SecurityEventType =>
  typeof name === 'string' && Object.hasOwn(TYPES, name);

/** Events that say that tokens ended, so the tokens end. After other events tokens live on, as at many providers. */
const ENDS_TOKENS: ReadonlySet<SecurityEventType> = new Set(['tokens-revoked', 'token-revoked']);

/** Payloads that CAEP demands. */
const PAYLOADS: { readonly [Type in SecurityEventType]?: object } = {
  'credential-change': { credential_type: 'password', change_type: 'update' },
};

export interface SecurityEvents {
  /**
   * Applies an event to an account, and sends it to one app, or to all apps that have access to the account.
   * Returns the number of security events sent: `token-revoked` is one for each refresh token, and none is sent
   * when no token was revoked.
   */
  happen(type: SecurityEventType, accountId: string, clientId?: string): number;
}

export function createSecurityEvents(
  issuer: string,
  store: Store,
  transmitter: Transmitter,
): SecurityEvents {
  const claimsFor = (type: SecurityEventType, accountId: string, grants: readonly string[]) => {
    if (ENDS_TOKENS.has(type) && grants.length === 0) return [];
    if (type === 'token-revoked') return grants.flatMap(store.refreshTokensOf).map(ofToken);
    const sub_id = { format: 'iss_sub', iss: issuer, sub: accountId };
    return [{ sub_id, events: { [TYPES[type]]: PAYLOADS[type] ?? {} } }];
  };

  return {
    happen(type, accountId, clientId) {
      const apps = clientId === undefined ? store.clientsOf(accountId) : [clientId];
      const sent = apps.map((app) => {
        const grants = store.grantsOf(accountId, app);
        const claims = claimsFor(type, accountId, grants);
        if (ENDS_TOKENS.has(type)) grants.forEach(store.revokeGrant);
        return claims.filter((each) => transmitter.tell(app, each)).length;
      });
      return sent.reduce((sum, count) => sum + count, 0);
    },
  };
}

/** Named as Google does it (developers.google.com/identity/protocols/risc, "OAuth token identifiers"). */
const ofToken = (token: string): object => ({
  events: {
    [TYPES['token-revoked']]: {
      subject: {
        subject_type: 'oauth_token',
        token_type: 'refresh_token',
        token_identifier_alg: 'hash_base64_sha512_sha512',
        token,
      },
    },
  },
});

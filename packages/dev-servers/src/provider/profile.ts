/** The differences between providers: two of them show that an app copes with either. */
export interface Profile {
  readonly id: 'acme' | 'globex';
  /** Name on the provider's pages. */
  readonly name: string;
  /** Port on which the provider listens by default. */
  readonly port: number;
  /** Whether each refresh replaces the refresh token. If not, its answer carries none. */
  readonly rotatesRefreshTokens: boolean;
  /** Whether it has a revocation endpoint (RFC 7009). */
  readonly revokes: boolean;
  /** Whether it has an introspection endpoint (RFC 7662). */
  readonly introspects: boolean;
  /** Whether it sends security events. */
  readonly sendsSecurityEvents: boolean;
  /** Whether it signs users in to Junction, and gives out access tokens of its API. */
  readonly hasApi: boolean;
  /** Scopes for mailboxes and for calendars. */
  readonly scopes: Readonly<Record<'mailbox' | 'calendar', readonly string[]>>;
}

/** A provider that can do everything, and names its scopes as Junction does. */
export const ACME: Profile = {
  id: 'acme',
  name: 'Acme',
  port: 8090,
  rotatesRefreshTokens: true,
  revokes: true,
  introspects: true,
  sendsSecurityEvents: true,
  hasApi: true,
  scopes: {
    mailbox: ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'],
    calendar: ['calendar.readonly', 'calendar.events'],
  },
};

/** A provider that can do what the protocol demands, and no more. */
export const GLOBEX: Profile = {
  id: 'globex',
  name: 'Globex',
  port: 8093,
  rotatesRefreshTokens: false,
  revokes: false,
  introspects: false,
  sendsSecurityEvents: false,
  hasApi: false,
  scopes: {
    mailbox: ['mail.read', 'mail.send', 'mail.write'],
    calendar: ['cal.read', 'cal.events'],
  },
};

export const PROFILES: readonly Profile[] = [ACME, GLOBEX];

/** How the portal looks, so that it fits into the page around it. */
export interface Appearance {
  readonly productName?: string | undefined;
  /** `#rrggbb`. */
  readonly accentColor?: string | undefined;
  readonly logoUrl?: string | undefined;
  readonly colorScheme?: 'light' | 'dark' | 'auto' | undefined;
}

/** The webhook pages of one user, in the frame of one origin. */
export interface Portal {
  readonly userId: string;
  /** The service that made the link. */
  readonly clientId: string;
  readonly origin: string;
  readonly appearance: Appearance;
}

export interface PortalToken extends Portal {
  readonly tokenHash: Buffer;
  readonly expiresAt: Date;
  /** Undefined: of a link that nobody has opened yet. */
  readonly sessionEndsAt?: Date | undefined;
}

export interface PortalTokens {
  /** False for a user who is gone. */
  keep(token: PortalToken): Promise<boolean>;
  /** Takes a token, which counts once; undefined when there is no such token. */
  take(tokenHash: Buffer, now: Date): Promise<PortalToken | undefined>;
}

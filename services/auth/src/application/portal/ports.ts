/** How the portal looks, so that it fits into the page around it. */
export interface Appearance {
  readonly productName?: string | undefined;
  /** Color of buttons and links, `#rrggbb`. */
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
  /** Id (ptl_…) of the portal that it carries on; undefined: of a link that nobody has opened yet. */
  readonly portalId?: string | undefined;
  /** Undefined while nobody has opened the link. */
  readonly sessionEndsAt?: Date | undefined;
}

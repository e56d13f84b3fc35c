const HOUR_MS = 3_600_000;

/** So long counts what an issuer said of the user of a session. */
const COUNTS_MS = HOUR_MS;
/** So much longer it counts while the issuer is away: an outage of theirs is no reason to sign everybody out. */
const AWAY_MAX_MS = HOUR_MS;
/** An issuer that was found away is taken for away so long. */
const AWAY_FRESH_MS = 60_000;

/** How a trusted issuer last answered for the user of a session. */
export interface IssuerWord {
  /** When it said that the user is signed in there: at the beginning of the session, or asked again. */
  readonly confirmedAt: Date;
  /** When it was last found away; absent: never since. */
  readonly awayAt?: Date | undefined;
}

/** Whether the word of the issuer covers a token that is issued at `now` and lives until `until`. */
export function covers({ confirmedAt, awayAt }: IssuerWord, now: Date, until: Date): boolean {
  const isAway = awayAt !== undefined && now.getTime() - awayAt.getTime() <= AWAY_FRESH_MS;
  const countsMs = COUNTS_MS + (isAway ? AWAY_MAX_MS : 0);
  return until.getTime() - confirmedAt.getTime() <= countsMs;
}

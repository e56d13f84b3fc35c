const SECOND_MS = 1_000;
const rightNow = Date.now;

/**
 * Has this process believe that it is so many seconds later than it is. oidc-provider asks `Date.now` and lets
 * nobody give it another clock.
 */
export function skewClock(skewS: number): void {
  Date.now = skewS === 0 ? rightNow : () => rightNow() + skewS * SECOND_MS;
}

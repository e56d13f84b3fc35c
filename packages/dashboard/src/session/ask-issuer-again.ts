/** Length of `next` that the API accepts. */
const NEXT_CHARS_MAX = 2_000;

/**
 * Leaves the page for the issuer of the session and comes back to `here`. The issuer asks nothing of a user who is
 * still signed in there. Never resolves. Replaces the page in the history, so that the back button does not lead to
 * the issuer again.
 */
export async function askIssuerAgain(here: string): Promise<never> {
  const next = here.length > NEXT_CHARS_MAX ? '/' : here;
  window.location.replace(`/api/auth/session/issuer?${new URLSearchParams({ next }).toString()}`);
  return new Promise(() => {});
}

/** As the address takes it. */
const NEXT_CHARS_MAX = 2_000;

/**
 * Leaves the page for the issuer of the session, which asks nothing of a user who is still signed in there, and comes back to
 * `here`. Never resolves. Takes the place of the page in the history: the way back must not lead to the issuer again.
 */
export async function askIssuerAgain(here: string): Promise<never> {
  const next = here.length > NEXT_CHARS_MAX ? '/' : here;
  window.location.replace(`/api/auth/session/issuer?${new URLSearchParams({ next }).toString()}`);
  return new Promise(() => {});
}

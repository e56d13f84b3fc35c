/**
 * Returns whether this browser may have a session. The cookie that says so holds nothing else; those of the session
 * itself are kept from scripts.
 */
export const mayHaveSession = (): boolean =>
  document.cookie.split('; ').includes('__Secure-jn_in=1');

/** Page that leads to `here` once its visitor has signed in. */
export const signInPath = (here: string): string =>
  `/sign-in?${new URLSearchParams({ next: here }).toString()}`;

const PAGES = ['/verify-email', '/reset-password', '/undo-changes', '/unsubscribe'];

/**
 * The token of the mail that led to this load of the page. It stands in the fragment, which no server sees, and is
 * taken out of the address, and so out of the history of the browser, before anything else runs.
 */
export const mailedToken: string | undefined = take();

function take(): string | undefined {
  const { location, history } = window;
  if (!PAGES.includes(location.pathname)) return undefined;
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  history.replaceState(null, '', location.pathname);
  return token ?? undefined;
}

const CALLBACK = /^\/connect\/(mailbox|calendar)\/callback$/;

/** The provider whose redirect URI this path is, if it is one. */
export const callbackProvider = (path: string): string | undefined => CALLBACK.exec(path)?.[1];

/**
 * The page a provider sends the user back to: what came in the query, to copy into
 * POST /api/integrations/{provider}/connect. It runs no script and keeps nothing.
 */
export function callbackPage(provider: string, query: URLSearchParams): string {
  const error = query.get('error');
  if (error !== null) return refused(provider, error, query);
  return query.has('code') ? answered(provider, query) : empty(provider);
}

/** A code in the page must reach no cache, no referrer and no other origin. */
export const CALLBACK_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

const answered = (provider: string, query: URLSearchParams): string =>
  page(
    `One step left to connect your ${provider}`,
    `<p>You agreed at the provider. Finish by sending these values, within ten minutes, to
     <code>POST /api/integrations/${provider}/connect</code>.
     The code works once.</p>
     <dl>${term('auth_code', query.get('code'))}${term('state', query.get('state'))}${term('iss', query.get('iss'))}</dl>
     <p>Check that <code>state</code> is the one your authorize call returned. If it is not, somebody
     else began this: close the page.</p>`,
  );

const refused = (provider: string, error: string, query: URLSearchParams): string =>
  page(
    `Your ${provider} is not connected`,
    `<p>${
      error === 'access_denied'
        ? 'The request was declined at the provider. Nothing was connected; you can begin again.'
        : 'The provider answered with an error. Begin again; if it repeats, show these values to whoever runs this service.'
    }</p><dl>${term('error', error)}${term('error_description', query.get('error_description'))}</dl>`,
  );

const empty = (provider: string): string =>
  page(
    `Your ${provider} is not connected`,
    `<p>A provider sends you here with a code once you have agreed there; this time there is none.
     Begin with <code>GET /api/integrations/${provider}/authorize</code>.</p>`,
  );

const term = (name: string, value: string | null): string =>
  value === null ? '' : `<dt>${name}</dt><dd><code>${escaped(value)}</code></dd>`;

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  main { max-width: 40rem; margin: 10vh auto; padding: 0 1rem; }
  dt { font-weight: 600; margin-top: 1rem; }
  dd { margin: 0; overflow-wrap: anywhere; user-select: all; }
</style>
<main><h1>${title}</h1>${body}</main>
</html>
`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => ENTITIES[c] ?? c);

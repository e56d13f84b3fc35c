const ANSWER_DEADLINE_MS = 15_000;
const REDIRECTS_MAX = 20;

/** Where the browser stands: a page of the provider, or an address it was not to open. */
export interface View {
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  /** True: redirects led to an address outside; nothing was fetched from it. */
  readonly left: boolean;
}

/** A browser with cookies and without eyes. */
export interface Browser {
  open(url: URL): Promise<View>;
  submit(url: URL, fields: URLSearchParams): Promise<View>;
}

/** Follows redirects as long as `staysInside` says so. */
export function openBrowser(staysInside: (url: URL) => boolean): Browser {
  const cookies = new Map<string, Cookie>();

  async function request(start: URL, form?: URLSearchParams): Promise<View> {
    let url = start;
    let body = form;
    for (let hop = 0; hop < REDIRECTS_MAX; hop += 1) {
      if (!staysInside(url)) return { url, status: 0, html: '', left: true };

      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'text/html', cookie: cookieHeader(cookies, url) },
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
        ...(body && { body }),
      });
      const html = await response.text();
      for (const line of response.headers.getSetCookie()) keepCookie(cookies, line, url);

      const location = response.headers.get('location');
      if (!location) return { url, status: response.status, html, left: false };
      url = new URL(location, url);
      body = undefined; // As browsers do after a 302 or 303.
    }
    throw new Error(`More than ${REDIRECTS_MAX} redirects in a row from ${start.origin}.`);
  }

  return { open: (url) => request(url), submit: (url, fields) => request(url, fields) };
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

function keepCookie(cookies: Map<string, Cookie>, line: string, { pathname }: URL): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const attribute = (name: string) =>
    attributes.find((text) => text.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
  const name = pair.slice(0, pair.indexOf('='));
  const value = pair.slice(name.length + 1);
  const path = attribute('path') ?? (pathname.slice(0, pathname.lastIndexOf('/')) || '/');

  const key = `${name} ${path}`;
  const isOver = value === '' || Date.parse(attribute('expires') ?? '') <= Date.now();
  if (isOver) cookies.delete(key);
  else cookies.set(key, { name, value, path });
}

function cookieHeader(cookies: ReadonlyMap<string, Cookie>, { pathname }: URL): string {
  const isMeant = ({ path }: Cookie) =>
    pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
  return [...cookies.values()]
    .filter(isMeant)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
}

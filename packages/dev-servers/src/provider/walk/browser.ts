import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { CookieJar } from 'tough-cookie';

const ANSWER_DEADLINE_MS = 15_000;
const REDIRECTS_MAX = 20;

/** A page of the provider, or the address outside that redirects led to and nothing was fetched from. */
export interface Page {
  readonly url: URL;
  readonly isOutside: boolean;
  readonly status: number;
  /** First heading and error message of the page, in plain text. */
  readonly title: string;
  readonly text: string;
  readonly forms: readonly Form[];
}

export interface Form {
  readonly action: URL;
  /** Attributes by name of each input and button, in the order of the page. */
  readonly fields: readonly Field[];
}

export type Field = Readonly<Record<string, string>>;

/** A browser with cookies, without scripts. */
export interface Browser {
  open(url: URL): Promise<Page>;
  submit(url: URL, fields: URLSearchParams): Promise<Page>;
}

/** Follows redirects as long as `staysInside` says so. */
export function openBrowser(staysInside: (url: URL) => boolean): Browser {
  const cookies = new CookieJar();

  async function request(start: URL, form?: URLSearchParams): Promise<Page> {
    let url = start;
    let body = form;
    for (let hop = 0; hop < REDIRECTS_MAX; hop += 1) {
      if (!staysInside(url)) return { ...pageOf('', url, 0), isOutside: true };

      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'text/html', cookie: await cookies.getCookieString(url.href) },
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
        ...(body && { body }),
      });
      const html = await response.text();
      for (const line of response.headers.getSetCookie()) await cookies.setCookie(line, url.href);

      const location = response.headers.get('location');
      if (!location) return pageOf(html, url, response.status);
      url = new URL(location, url);
      body = undefined; // As browsers do after a 302 or 303.
    }
    throw new Error(`More than ${REDIRECTS_MAX} redirects in a row from ${start.origin}.`);
  }

  return { open: (url) => request(url), submit: (url, fields) => request(url, fields) };
}

function pageOf(html: string, url: URL, status: number): Page {
  const document = parse(html);
  const elements = [...elementsIn(document)];
  const heading = elements.find(({ tagName }) => tagName === 'h1');
  const error = elements.find((element) => attributesOf(element)['role'] === 'alert');
  const title = [heading, error].flatMap((element) => (element ? textOf(element).trim() : []));
  const forms = elements.filter(({ tagName }) => tagName === 'form');
  return {
    url,
    isOutside: false,
    status,
    title: title.join(': '),
    text: textOf(document),
    forms: forms.map((form) => ({
      action: new URL(attributesOf(form)['action'] ?? '', url),
      fields: [...elementsIn(form)].flatMap(fieldOf),
    })),
  };
}

function fieldOf(element: Tree.Element): readonly Field[] {
  if (element.tagName === 'button') return [{ type: 'submit', ...attributesOf(element) }];
  return element.tagName === 'input' ? [{ type: 'text', ...attributesOf(element) }] : [];
}

function* elementsIn({ childNodes }: Tree.ParentNode): Generator<Tree.Element> {
  for (const child of childNodes) {
    if (!('tagName' in child)) continue;
    yield child;
    yield* elementsIn(child);
  }
}

function textOf(node: Tree.ParentNode): string {
  const texts = node.childNodes.map((child) => {
    if ('value' in child) return child.value;
    return 'childNodes' in child ? textOf(child) : '';
  });
  return texts.join('');
}

const attributesOf = ({ attrs }: Tree.Element): Field =>
  Object.fromEntries(attrs.map(({ name, value }) => [name, value]));

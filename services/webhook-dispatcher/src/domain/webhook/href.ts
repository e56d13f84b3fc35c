/**
 * Returns the parsed url; undefined: the text is no absolute url. `URL.canParse` is no help: under load, the one of
 * Node.js 20 and 22 refuses every url with a letter such as ü.
 */
export function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the form in which two urls are the same webhook: the WHATWG serialisation without the fragment, which no
 * receiver ever sees. @throws TypeError when the text is no absolute url
 */
export function hrefOf(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
}

/** Returns the host alone, which may be shown to others than the owner: paths and queries are used for secrets. */
export const hostOf = (url: string): string => urlOf(url)?.host ?? '';

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
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

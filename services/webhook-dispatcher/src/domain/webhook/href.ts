/**
 * What makes two urls the same webhook: the WHATWG serialisation without the fragment, which no
 * receiver ever sees. Throws TypeError when the text is no absolute url.
 */
export function hrefOf(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
}

/** What of a url may be shown to others than its owner: paths and queries are used for secrets. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

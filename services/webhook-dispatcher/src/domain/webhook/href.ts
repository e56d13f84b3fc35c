/**
 * What makes two urls the same webhook: the WHATWG serialisation without the fragment, which no
 * receiver ever sees. Throws TypeError when the text is no absolute url.
 */
export function hrefOf(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
}

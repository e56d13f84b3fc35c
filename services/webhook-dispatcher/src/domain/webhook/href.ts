/**
 * What makes two urls the same webhook: the WHATWG serialisation. A url with a fragment, which no receiver
 * would see, never gets here. Throws TypeError when the text is no absolute url.
 */
export const hrefOf = (url: string): string => new URL(url).href;

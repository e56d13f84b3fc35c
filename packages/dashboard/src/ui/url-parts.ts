/** An address as its owner wrote it, cut where the eye should. Joined again it is the same text. */
export interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly rest: string;
}

/** Splits a URL without `URL`, which normalises: the page must show what was configured. */
export function urlParts(url: string): UrlParts {
  const [, scheme = '', host = url, rest = ''] = /^([a-z]+:\/\/)([^/?#\\]+)(.*)$/is.exec(url) ?? [];
  return { scheme, host, rest };
}

/** Splits an address or an id behind its marks, where a line may end. Joined again it is the same text. */
export const piecesOf = (text: string): readonly string[] => text.split(/(?<=[/?&=._@])/);

/** Returns the host and path of a webhook, without the scheme that all of them have. */
export function addressOf({ url }: { readonly url: string }): string {
  const { host, rest } = urlParts(url);
  return `${host}${rest}`;
}

/** `clientCredentials` makes one; a function of your own will do. */
export interface TokenSource {
  (): Promise<string>;
  /** The service has refused this token: the next call is to give another. */
  refused?(token: string): void;
}

/**
 * Makes a call with a token, and once more with the next token when the service refuses the first: the call was refused
 * before anything was done, and the issuer may have new keys since that token was made.
 */
export async function withServiceToken<T>(
  source: TokenSource,
  call: (token: string) => Promise<T>,
  isRefusal: (error: unknown) => boolean,
): Promise<T> {
  const token = await source();
  try {
    return await call(token);
  } catch (error) {
    if (!isRefusal(error) || !source.refused) throw error;
    source.refused(token);
  }
  return call(await source());
}

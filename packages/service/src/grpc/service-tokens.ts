import { type ClientCredentialsOptions, clientCredentials } from '@junction/client-credentials';
import { AppError } from '@junction/errors';

export interface ServiceTokens {
  (): Promise<string>;
  /** Notes that the service has refused this token: if it is the kept token, the next call requests another. */
  refused(token: string): void;
}

/** Returns our own tokens for another service. AppError `service_token_unavailable` when none can be had. */
export function serviceTokens(options: ClientCredentialsOptions): ServiceTokens {
  const credentials = clientCredentials(options);
  const current = async () =>
    credentials().catch((cause: unknown) => {
      throw new AppError(
        'service_token_unavailable',
        'A service this request needs cannot be reached just now. Try again in a moment.',
        { cause, retryAfterS: 1 },
      );
    });
  return Object.assign(current, { refused: (token: string) => credentials.refused(token) });
}

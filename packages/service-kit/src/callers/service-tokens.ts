import { type ClientCredentialsOptions, clientCredentials } from '@junction/client-credentials';
import { AppError } from '@junction/errors';

export interface ServiceTokens {
  (): Promise<string>;
  /** Drops this token if it is the kept one, because the service it is for has refused it. */
  drop(token: string): void;
}

/** Our own tokens for another service. AppError `service_token_unavailable` when there is none to be had. */
export function serviceTokens(options: ClientCredentialsOptions): ServiceTokens {
  const token = clientCredentials(options);
  const current = async () =>
    token().catch((cause: unknown) => {
      throw new AppError(
        'unavailable',
        'service_token_unavailable',
        'A service this request needs cannot be reached just now. Try again in a moment.',
        { cause, retryAfterS: 1 },
      );
    });
  return Object.assign(current, { drop: (refused: string) => token.drop(refused) });
}

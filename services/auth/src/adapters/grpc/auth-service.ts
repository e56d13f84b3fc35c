import type { AuthServiceServer } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { type Logger, unary } from '@junction/service-kit';
import type { ApiKeyVerbs } from '../../application/api-keys.js';

export const authService = (
  app: ApiKeyVerbs,
  log: Logger,
): Pick<AuthServiceServer, 'authenticate'> => ({
  authenticate: unary(log, async ({ apiKey }) => {
    const holder = await app.holderOf(apiKey);
    if (!holder) throw invalidApiKey();
    return { ...holder, scopes: [...holder.scopes] };
  }),
});

const invalidApiKey = (): AppError =>
  new AppError('unauthenticated', 'invalid_api_key', 'This API key is not valid.');

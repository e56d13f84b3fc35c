import { type AuthServiceServer, AuthServiceService, SERVICE_SCOPES } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { type GrpcService, unary } from '@junction/service/grpc';
import type { Logger } from '@junction/service/process';
import type { Application } from '../../application/application.js';

const { verifyCredentials } = SERVICE_SCOPES;

/** Serves AuthService to services that verify credentials. */
export const authGrpc = (app: Application, log: Logger): GrpcService => ({
  definition: AuthServiceService,
  implementation: authService(app, log),
  scopes: { authenticate: verifyCredentials, ensureUser: verifyCredentials },
});

const authService = (
  app: Application,
  log: Logger,
): Pick<AuthServiceServer, 'authenticate' | 'ensureUser'> => ({
  authenticate: unary(log, async ({ apiKey }) => {
    const holder = await app.holderOf(apiKey);
    if (!holder) throw invalidApiKey();
    return { ...holder, scopes: [...holder.scopes] };
  }),

  ensureUser: unary(log, async ({ accessToken }) => {
    const { userId } = await app.ensureUser(accessToken);
    return { userId };
  }),
});

const invalidApiKey = (): AppError => new AppError('invalid_api_key', 'This API key is not valid.');

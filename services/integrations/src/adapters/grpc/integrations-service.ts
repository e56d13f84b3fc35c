import type { IntegrationsServiceServer } from '@junction/contracts';
import { type Logger, parse, unary } from '@junction/service-kit';
import { z } from 'zod';
import type { Application } from '../../application/application.js';

const SECOND_MS = 1_000;
const SCOPES_MAX = 50;
const SCOPE_CHARS_MAX = 100;

const wish = z.object({
  userId: z.uuid(),
  provider: z.string().min(1),
  scopes: z.array(z.string().max(SCOPE_CHARS_MAX)).max(SCOPES_MAX),
  minLifetimeS: z.int().nonnegative(),
});

/** IntegrationsService: access tokens for internal workers. Refresh tokens never leave. */
export const integrationsService = (app: Application, log: Logger): IntegrationsServiceServer => ({
  getAccessToken: unary(log, async (request) => {
    const { minLifetimeS, ...rest } = parse(wish, request);
    const token = await app.getAccessToken({ ...rest, minLifetimeMs: minLifetimeS * SECOND_MS });
    const { accessToken, expiresAt, scopes, credentialVersion } = token;
    return { accessToken, expiresAt, scopes: [...scopes], credentialVersion };
  }),
});

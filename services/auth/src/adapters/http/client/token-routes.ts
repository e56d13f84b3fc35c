import { AppError } from '@junction/errors';
import { formBody, mount } from '@junction/service/http';
import { type ErrorRequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { OAuthError, type OAuthErrorCode } from '../../../application/client/oauth-error.js';
import * as answers from '../answers.js';
import { visitorOf } from '../visitor.js';
import { tokenRequest } from './token-request.js';

export const TOKEN_PATH = '/oauth/token';

/** The form for the document alone; `tokenRequest` checks the request, because its refusals are the RFC's. */
const tokenForm = z.object({
  grant_type: z.literal('client_credentials'),
  audience: z
    .string()
    .optional()
    .describe('The service the token is for; `resource` says the same.'),
  resource: z.string().optional(),
  scope: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  client_assertion_type: z.string().optional(),
  client_assertion: z.string().optional(),
});

/** The token endpoint of RFC 6749, for services alone. It errs in the RFC's words, not in problem+json. */
export function tokenRoutes(app: Application): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'issueServiceToken',
      method: 'post',
      path: TOKEN_PATH,
      summary: 'Get an access token for a service (RFC 6749, section 4.4)',
      about:
        'The client authenticates by HTTP Basic, by `client_secret`, or by `client_assertion`.',
      through: [formBody],
      body: tokenForm,
      bodyType: 'application/x-www-form-urlencoded',
      answer: answers.serviceToken,
      refusal: {
        statuses: [400, 401, 413],
        answer: z.object({ error: z.string(), error_description: z.string() }),
      },
      problems: ['too_many_attempts', 'too_busy'],
    },
    async ({ req, res }) => {
      const request = tokenRequest(req.headers.authorization, req.body);
      const { accessToken, expiresInS, scopes } = await app.issueServiceToken({
        ...request,
        visitor: visitorOf(req, res),
      });
      res.set(UNCACHED);
      return {
        access_token: accessToken,
        token_type: 'Bearer' as const,
        expires_in: expiresInS,
        scope: scopes.join(' '),
      };
    },
  );

  return router.use(oauthErrors);
}

const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' };

const oauthErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const refusal = refusalOf(error);
  if (!refusal) return next(error);

  const { status, code, message } = refusal;
  res.set(UNCACHED).status(status);
  if (status === 401) res.set('www-authenticate', 'Basic realm="junction", charset="UTF-8"');
  res.json({ error: code, error_description: message });
};

interface Refusal {
  readonly status: number;
  readonly code: OAuthErrorCode;
  readonly message: string;
}

/** Section 5.2 knows 400 and, for a client that did not authenticate, 401. A flood is still a flood. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof OAuthError) {
    const { code, message } = error;
    return { status: code === 'invalid_client' ? 401 : 400, code, message };
  }
  if (!(error instanceof AppError)) return undefined;

  const { kind, message } = error;
  const code = 'invalid_request';
  if (kind === 'too_large') return { status: 413, code, message };
  if (kind === 'invalid' || kind === 'unsupported_media_type')
    return { status: 400, code, message };
  return undefined;
}

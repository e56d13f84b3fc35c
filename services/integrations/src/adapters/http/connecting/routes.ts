import { recentFactor, verifiedEmail } from '@junction/service/callers';
import { callerOf, mount, type RateLimitState, showRateLimit } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { connected, connectedView, identityProvider, identityProviderView } from './views.js';

const CODE_CHARS_MAX = 4_096;
const STATE_CHARS_MAX = 512;
const ISS_CHARS_MAX = 2_048;
const RETURN_TO_CHARS_MAX = 2_048;
const IDENTITY_PROVIDER_CHARS_MAX = 100;

const identityProviderName = z.string().min(1).max(IDENTITY_PROVIDER_CHARS_MAX);
const state = z.string().min(1).max(STATE_CHARS_MAX);

const connectBody = z.strictObject({
  auth_code: z.string().min(1).max(CODE_CHARS_MAX),
  state: state.optional(),
  iss: z.string().min(1).max(ISS_CHARS_MAX).optional(),
  identity_provider: identityProviderName.optional(),
});

const authorizeQuery = z.object({
  identity_provider: identityProviderName.optional(),
  return_to: z.string().min(1).max(RETURN_TO_CHARS_MAX).optional(),
});

const returnToQuestion = z.strictObject({ state, identity_provider: identityProviderName });

/** Returns the routes by which an account is connected. */
export function connectingRoutes(app: Application): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'listIdentityProviders',
      method: 'get',
      path: '/api/integrations/identity-providers',
      summary: 'List the identity providers that an account can be connected at',
      about: 'Each with the kinds of account that it serves.',
      answer: z.object({ identity_providers: z.array(identityProvider) }),
    },
    () => ({ identity_providers: app.identityProviders.map(identityProviderView) }),
  );

  mount(
    router,
    {
      id: 'beginAuthorization',
      method: 'get',
      path: '/api/integrations/:provider/authorize',
      summary: 'Get the address where the user consents',
      about:
        'Send the browser to `authorization_url`. What comes back to the redirect URI is good for connect, once and for ten minutes.',
      through: [verifiedEmail, recentFactor],
      query: authorizeQuery,
      answer: z.object({ authorization_url: z.url(), state: z.string() }),
      problems: [
        'unknown_provider',
        'unknown_identity_provider',
        'return_to_not_allowed',
        'provider_unavailable',
      ],
    },
    async ({ req, res, query }) => {
      const { userId } = callerOf(res);
      const { identity_provider: identityProvider, return_to: returnTo } = query();
      const asked = { identityProvider, returnTo };
      const begun = await app.authorize(userId, req.params.provider, asked);
      return { authorization_url: begun.authorizationUrl, state: begun.state };
    },
  );

  addConnect(router, app);
  return router;
}

function addConnect(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'connect',
      method: 'post',
      path: '/api/integrations/:provider/connect',
      summary: 'Connect an account with an authorization code',
      about: 'Each code works once, and only for the user who asked for the authorization.',
      through: [verifiedEmail, recentFactor],
      body: connectBody,
      example: { auth_code: '4/0AVMBsJi8', state: 'LJ0v5Qm0mTrs', identity_provider: 'google' },
      answer: connected,
      problems: [
        'unknown_provider',
        'unknown_identity_provider',
        'invalid_auth_code',
        'invalid_state',
        'invalid_issuer',
        'too_many_codes',
        'too_many_accounts',
        'connection_contended',
        'disconnected',
        'provider_unavailable',
        'user_deleted',
      ],
    },
    async ({ req, res, body }) => {
      const { userId } = callerOf(res);
      const { auth_code: authCode, identity_provider: identityProvider, state, iss } = body();
      const onLimit = (state: RateLimitState) => showRateLimit(res, state);
      const presented = { authCode, identityProvider, state, iss, onLimit };
      return connectedView(await app.connect(userId, req.params.provider, presented));
    },
  );
}

/**
 * Returns the route by which the callback page learns where to forward an answer, whoever is signed in there. The state
 * is the key: 256 bits that only its provider and the two ends of its authorization know. It comes in a body, because
 * addresses are logged.
 */
export function returnToRoutes(app: Pick<Application, 'returnTo'>): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'getReturnTo',
      method: 'post',
      path: '/api/integrations/:provider/return-to',
      summary: 'Ask where the answer of a provider is to be forwarded',
      about:
        'For pages that a provider leads back to: the address that the authorization was asked for with.',
      body: returnToQuestion,
      example: { state: 'LJ0v5Qm0mTrs', identity_provider: 'google' },
      answer: z.object({ return_to: z.string().nullable() }),
      problems: ['unknown_provider', 'unknown_identity_provider', 'too_many_questions'],
    },
    async ({ req, body }) => {
      const { state, identity_provider: identityProvider } = body();
      const client = { identityProvider, provider: req.params.provider };
      return { return_to: (await app.returnTo(client, state)) ?? null };
    },
  );
  return router;
}

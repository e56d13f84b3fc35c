import { recentFactor } from '@junction/service-kit/callers';
import { parse } from '@junction/service-kit/http';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import type { AddedFactor } from '../../application/second-factor/manage-factors.js';
import type { Passkey, SecondFactors } from '../../application/second-factor/ports.js';
import { keyName } from './api-key-routes.js';
import type { BrowserCookies } from './browser-cookies.js';
import { deviceOf } from './device.js';
import { assertionOf, factorProof, passkeyAssertion } from './factor-schema.js';
import { sessionOf, userOf } from './session-of.js';
import { tokensView } from './session-routes.js';
import { visitorOf } from './visitor.js';

const nothing = z.strictObject({});
const confirmation = z.strictObject({ code: z.string().min(1).max(20) });
const newPasskey = passkeyAssertion.extend({ name: keyName });

/** Authenticator and recovery codes of the caller. What changes them wants a recent proof, where one exists already. */
export function factorRoutes(app: Application, cookies: BrowserCookies): Router {
  const router = Router();
  const { secondFactors } = app;

  router.get('/api/auth/second-factors', async (_req, res) => {
    res.json(secondFactorsView(await secondFactors.list(userOf(res))));
  });

  router.post('/api/auth/totp', recentFactor, async (req, res) => {
    parse(nothing, req.body);
    const { secret, uri } = await secondFactors.offerTotp(sessionOf(res).userId);
    res.json({ secret, otpauth_uri: uri });
  });

  router.post('/api/auth/totp/confirm', recentFactor, async (req, res) => {
    const { code } = parse(confirmation, req.body);
    const device = deviceOf(req.get('user-agent'));
    const added = await secondFactors.confirmTotp(sessionOf(res), code, device);
    res.json(answerOf({ req, res, cookies }, added));
  });

  router.delete('/api/auth/totp', recentFactor, async (_req, res) => {
    await secondFactors.removeTotp(sessionOf(res).userId);
    res.status(204).end();
  });

  router.post('/api/auth/recovery-codes', recentFactor, async (req, res) => {
    parse(nothing, req.body);
    const codes = await secondFactors.newRecoveryCodes(sessionOf(res).userId);
    res.json({ recovery_codes: codes });
  });

  router.post('/api/auth/step-up', async (req, res) => {
    const proof = parse(factorProof, req.body);
    const shown = await app.stepUp(sessionOf(res), { proof, visitor: visitorOf(req, res) });
    if (isByCookie(req)) cookies.setAccess(res, shown).json({ expires_in: shown.expiresInS });
    else {
      const { accessToken: access_token, expiresInS: expires_in } = shown;
      res.json({ access_token, token_type: 'Bearer', expires_in });
    }
  });

  return router;
}

/** Passkeys of the caller. */
export function passkeyRoutes({ secondFactors }: Application, cookies: BrowserCookies): Router {
  const router = Router();

  router.post('/api/auth/passkeys/registration-options', recentFactor, async (req, res) => {
    parse(nothing, req.body);
    const { challengeId, options } = await secondFactors.offerPasskey(sessionOf(res).userId);
    res.json({ challenge_id: challengeId, options });
  });

  router.post('/api/auth/passkeys', recentFactor, async (req, res) => {
    const { name, ...passkey } = parse(newPasskey, req.body);
    const { userId } = sessionOf(res);
    const device = deviceOf(req.get('user-agent'));
    const { passkeyId, ...added } = await secondFactors.addPasskey(
      { userId, name, device },
      assertionOf(passkey),
    );
    const { passkeys } = await secondFactors.list(userId);
    const made = passkeys.find((one) => one.passkeyId === passkeyId);
    res
      .status(201)
      .json({ passkey: made && passkeyView(made), ...answerOf({ req, res, cookies }, added) });
  });

  router.delete('/api/auth/passkeys/:id', recentFactor, async (req, res) => {
    await secondFactors.removePasskey(sessionOf(res).userId, req.params.id);
    res.status(204).end();
  });

  return router;
}

interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly cookies: BrowserCookies;
}

/** Tokens go where those of the request came from: into cookies, or into the answer. */
function answerOf({ req, res, cookies }: Exchange, { recoveryCodes, tokens }: AddedFactor) {
  if (tokens !== undefined && isByCookie(req)) cookies.set(res, tokens);
  return {
    ...(recoveryCodes !== undefined && { recovery_codes: recoveryCodes }),
    ...(tokens !== undefined && !isByCookie(req) && { tokens: tokensView(tokens) }),
  };
}

const isByCookie = (req: Request): boolean => req.headers.authorization === undefined;

/** Without what proves them. */
export const secondFactorsView = ({ totpSince, passkeys, recoveryCodesLeft }: SecondFactors) => ({
  totp: totpSince && { created_at: totpSince.toISOString() },
  passkeys: passkeys.map(passkeyView),
  recovery_codes_left: recoveryCodesLeft,
});

const passkeyView = ({ passkeyId, name, createdAt, lastUsedAt }: Passkey) => ({
  id: passkeyId,
  name,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});

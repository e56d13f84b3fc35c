import { clientOf } from '@junction/service/callers';
import { mount } from '@junction/service/http';
import type { Logger } from '@junction/service/process';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import type { Appearance } from '../../../application/portal/ports.js';
import * as answers from '../answers.js';

const NAME_MAX = 60;
const URL_MAX = 2_048;

const logoUrl = z
  .url({ protocol: /^https?$/ })
  .max(URL_MAX)
  .refine((text) => {
    const { username, password } = new URL(text);
    return username === '' && password === '';
  }, 'must not hold a user or a password');

const newLink = z.strictObject({
  user_id: z.uuid(),
  origin: z
    .string()
    .max(URL_MAX)
    .describe('Origin of the page whose frame it is; one of PORTAL_ORIGINS, to the letter.'),
  appearance: z
    .strictObject({
      product_name: z
        .string()
        .trim()
        .min(1)
        .max(NAME_MAX)
        .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must not hold control characters')
        .optional(),
      accent_color: z
        .string()
        .regex(/^#[0-9a-f]{6}$/i, 'must look like #3b5bdb')
        .optional()
        .describe(
          'Color of buttons and links; its lightness is changed where it could not be read.',
        ),
      logo_url: logoUrl.optional().describe('An image of one of PORTAL_ORIGINS.'),
      color_scheme: z.enum(['light', 'dark', 'auto']).optional(),
    })
    .optional(),
});

const exchange = z.strictObject({ token: z.string().min(1).max(100) });

export interface PortalRoutesOptions {
  readonly app: Application;
  readonly publicUrl: string;
  readonly log: Pick<Logger, 'info'>;
}

/** Services let their users at the webhook pages. */
export function portalLinkRoutes({ app, publicUrl, log }: PortalRoutesOptions): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'createPortalLink',
      method: 'post',
      path: '/api/portal-links',
      summary: 'Make a link to the webhook pages of a user, for the frame of another product',
      about:
        'For services with the scope `portals:open`. The link counts once and for five minutes. What it opens reaches the webhooks of this user and nothing else, for an hour.',
      body: newLink,
      example: {
        user_id: '7f0c9a4e-52b1-4f0f-9d3e-0b8a6f1c2d3e',
        origin: 'https://app.example.com',
        appearance: { product_name: 'Acme', accent_color: '#0b7285', color_scheme: 'auto' },
      },
      answer: answers.portalLink,
      status: 201,
      problems: ['portal_origin_not_allowed', 'user_not_found'],
    },
    async ({ res, body }) => {
      const { user_id: userId, origin, appearance = {} } = body();
      const clientId = clientOf(res);
      const portal = { userId: userId.toLowerCase(), clientId, origin };
      const { token, expiresAt } = await app.portalLinks.create({
        ...portal,
        appearance: {
          productName: appearance.product_name,
          accentColor: appearance.accent_color?.toLowerCase(),
          logoUrl: appearance.logo_url,
          colorScheme: appearance.color_scheme,
        },
      });
      log.info({ client_id: clientId, user_id: portal.userId }, 'portal link made');
      // Behind the # nobody but the page reads it: no server, no log, no Referer.
      return { url: `${publicUrl}/portal#${token}`, expires_at: expiresAt };
    },
  );
  return router;
}

/** Open to everybody who has the token of a link. */
export function portalSessionRoutes(app: Application): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'openPortal',
      method: 'post',
      path: '/api/portal-links/exchange',
      summary: 'Exchange the token of a portal link for an access token, once',
      about:
        'The answer has the token that takes its place when the access token ends. The page of the portal does this; nobody else needs to.',
      body: exchange,
      answer: answers.portalSession,
      problems: ['portal_token_invalid'],
    },
    async ({ body }) => {
      const session = await app.portalLinks.exchange(body().token);
      return {
        access_token: session.accessToken,
        token_type: 'Bearer' as const,
        expires_in: session.expiresInS,
        next_token: session.nextToken,
        session_ends_at: session.endsAt,
        user_id: session.userId,
        origin: session.origin,
        appearance: appearanceView(session.appearance),
      };
    },
  );
  return router;
}

const appearanceView = ({ productName, accentColor, logoUrl, colorScheme }: Appearance) => ({
  product_name: productName ?? null,
  accent_color: accentColor ?? null,
  logo_url: logoUrl ?? null,
  color_scheme: colorScheme ?? ('auto' as const),
});

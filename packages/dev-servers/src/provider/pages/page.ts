import { createHash } from 'node:crypto';
import type { Context } from '../context.js';
import type { Profile } from '../profile.js';
import { type Html, html } from './html.js';
import { STYLE } from './style.js';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Address to which redirects may lead after a form of this page, besides this provider. */
  readonly leadsTo?: string | undefined;
}

/** Has every page say whose it is. */
export const showProfile =
  (profile: Profile) =>
  async (ctx: Context, next: () => Promise<void>): Promise<void> => {
    ctx.state['profile'] = profile;
    await next();
  };

/** Returns the profile of the provider that answers this request. */
export const profileOf = ({ state }: Context): Profile => state['profile'] as Profile;

/** Answers with a page: no scripts, nothing loaded, not framed, not cached. */
export function sendPage(ctx: Context, { title, body, status = 200, leadsTo }: Page) {
  ctx.status = status;
  ctx.type = 'html';
  ctx.set('content-security-policy', contentPolicy(leadsTo));
  ctx.set('cache-control', 'no-store');
  ctx.set('referrer-policy', 'no-referrer');
  ctx.set('x-content-type-options', 'nosniff');
  ctx.body = whole(profileOf(ctx), title, body).markup;
}

/** Browsers hold form-action against each redirect after a form too, the one back to the app included. */
function contentPolicy(leadsTo?: string): string {
  const formTargets = leadsTo ? `'self' ${new URL(leadsTo).origin}` : "'self'";
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action ${formTargets}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

const whole = ({ id, name }: Profile, title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${name}</title>
<style>${{ markup: STYLE }}</style>
</head>
<body class="${id}">
<header><strong>${name}</strong> development provider</header>
<main>
${body}
</main>
</body>
</html>
`;

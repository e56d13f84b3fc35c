import type { OIDCContext } from 'oidc-provider';
import type { Context } from './context.js';

/**
 * Answers a refresh without the refresh token, which stays as it is: a provider may leave it out then
 * (RFC 6749, section 6), and oidc-provider never does.
 */
export async function silentRefreshes(ctx: Context, next: () => Promise<void>): Promise<void> {
  await next();
  const { params } = (ctx['oidc'] ?? {}) as Partial<OIDCContext>;
  if (params?.['grant_type'] !== 'refresh_token') return;
  const { refresh_token: _kept, ...answer } = ctx.body as Readonly<Record<string, unknown>>;
  ctx.body = answer;
}

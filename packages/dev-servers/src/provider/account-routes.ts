import type Provider from 'oidc-provider';
import { readForm } from './body.js';
import type { Context, Route } from './context.js';
import { accountPage, type ConnectedApp } from './pages/account.js';
import { loginForm } from './pages/login.js';
import { profileOf, sendPage } from './pages/page.js';
import { SESSION_TTL_S } from './provider.js';
import { isSecurityEventType, type SecurityEvents } from './security-events.js';
import { signIn } from './sign-in.js';
import type { Store } from './store.js';

/** The account's own pages: which apps have access, taking it away, and what else they are told. */
export function accountRoutes(
  provider: Provider,
  store: Store,
  events: SecurityEvents,
): Readonly<Record<string, Route>> {
  const accountOf = async (ctx: Context) => (await provider.Session.get(ctx)).accountId;

  return {
    'GET /account': async (ctx) => {
      const accountId = await accountOf(ctx);
      if (!accountId) return sendPage(ctx, loginPage());
      const apps = await connectedApps(provider, store, accountId);
      sendPage(ctx, { title: 'Your account', body: accountPage(profileOf(ctx), accountId, apps) });
    },

    'POST /account/sign-in': async (ctx) => {
      const attempt = signIn(await readForm(ctx.req));
      if ('error' in attempt) return sendPage(ctx, loginPage(attempt));
      await startSession(provider, ctx, attempt.accountId);
      backToAccount(ctx);
    },

    'POST /account/revoke': async (ctx) => {
      const clientId = (await readForm(ctx.req)).get('client_id');
      const accountId = await accountOf(ctx);
      if (accountId && clientId) events.happen('tokens-revoked', accountId, clientId);
      backToAccount(ctx);
    },

    'POST /account/security-events': async (ctx) => {
      const type = (await readForm(ctx.req)).get('type');
      const accountId = await accountOf(ctx);
      if (accountId && isSecurityEventType(type)) events.happen(type, accountId);
      backToAccount(ctx);
    },

    'POST /account/sign-out': async (ctx) => {
      await (await provider.Session.get(ctx)).destroy();
      backToAccount(ctx);
    },
  };
}

function loginPage(failed?: { readonly error: string; readonly email: string }) {
  const heading = 'Sign in to your account';
  return {
    title: failed ? 'Error: Sign in' : 'Sign in',
    body: loginForm({ heading, action: '/account/sign-in', cancellable: false, ...failed }),
    status: failed ? 422 : 200,
  };
}

/** Returns one entry for each app, however many grants the app has collected. */
async function connectedApps(
  provider: Provider,
  store: Store,
  accountId: string,
): Promise<readonly ConnectedApp[]> {
  const apps = new Map<string, ConnectedApp>();
  for (const grantId of store.grantsOf(accountId)) {
    const grant = await provider.Grant.find(grantId);
    const client = await provider.Client.find(grant?.clientId ?? '');
    if (!grant || !client) continue;

    const { clientId, clientName: name = clientId } = client;
    const since = new Date((grant.iat ?? 0) * 1000);
    const earlier = apps.get(clientId);
    apps.set(clientId, {
      clientId,
      name,
      scopes: [...new Set([...(earlier?.scopes ?? []), ...grant.getOIDCScope().split(' ')])],
      since: earlier && earlier.since < since ? earlier.since : since,
    });
  }
  return [...apps.values()];
}

/** The session is the provider's own, so signing in here counts for the next consent too. */
async function startSession(provider: Provider, ctx: Context, accountId: string) {
  const previous = await provider.Session.get(ctx);
  await previous.destroy();
  const session = new provider.Session();
  session.loginAccount({ accountId });
  await session.save(SESSION_TTL_S);
  ctx.cookies.set(provider.cookieName('session'), session.jti, { httpOnly: true, sameSite: 'lax' });
}

function backToAccount(ctx: Context): void {
  ctx.status = 303;
  ctx.redirect('/account');
}

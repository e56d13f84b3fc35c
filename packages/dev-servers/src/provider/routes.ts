import { errors, type default as Provider } from 'oidc-provider';
import { accountRoutes } from './account-routes.js';
import type { Context, Route } from './context.js';
import type { Control } from './control.js';
import { controlRoutes, faultyEndpoints } from './control-routes.js';
import { interactionRoutes } from './interaction-routes.js';
import { showProfile } from './pages/page.js';
import { problemPage } from './pages/problem.js';
import type { Profile } from './profile.js';
import { silentRefreshes } from './refresh-answers.js';
import { RefusedError } from './refused-error.js';
import type { SecurityEvents } from './security-events.js';
import type { Store } from './store.js';
import type { Transmitter } from './transmitter.js';

export interface RoutesNeeds {
  readonly profile: Profile;
  readonly store: Store;
  readonly control: Control;
  /** Whether the control is reached over HTTP. */
  readonly overHttp: boolean;
  readonly events: SecurityEvents;
  readonly sign: Transmitter['sign'];
  readonly log: (line: string) => void;
}

/** Puts our own pages before the endpoints of the protocol. */
export function addRoutes(
  provider: Provider,
  { profile, store, control, overHttp, events, sign, log }: RoutesNeeds,
): void {
  const interaction = interactionRoutes(provider);
  const routes: Readonly<Record<string, Route>> = {
    'GET /': async (ctx) => ctx.redirect('/account'),
    'GET /health': async (ctx) => {
      ctx.body = { status: 'ok' };
    },
    ...accountRoutes(provider, store, events),
    ...(overHttp && controlRoutes(control, sign)),
  };
  const routeOf = ({ method, path }: Context) =>
    /^\/interaction\/[\w-]+$/.test(path)
      ? interaction
      : routes[`${method === 'HEAD' ? 'GET' : method} ${path}`];

  const answer = async (ctx: Context, route: Route) => {
    try {
      refuseOtherSites(ctx);
      await route(ctx);
    } catch (error) {
      answerFailure(ctx, error, log);
    }
  };

  provider.use(showProfile(profile));
  provider.use(async (ctx, next) => {
    const route = routeOf(ctx);
    await (route ? answer(ctx, route) : next());
  });
  provider.use(faultyEndpoints(control));
  if (!profile.rotatesRefreshTokens) provider.use(silentRefreshes);
}

/** Cookies are SameSite=Lax, but another port of localhost is the same site. */
function refuseOtherSites({ method, req }: Context): void {
  const from = req.headers['sec-fetch-site'];
  if (method !== 'POST' || from === undefined || from === 'same-origin' || from === 'none') return;
  throw new RefusedError(403, 'This form was sent from another site.');
}

function answerFailure(ctx: Context, error: unknown, log: (line: string) => void): void {
  const { status, message } = describe(error);
  if (status >= 500) log(`${ctx.method} /${ctx.path.split('/')[1]} failed: ${String(error)}`);
  if (ctx.path.startsWith('/control/')) {
    ctx.status = status;
    ctx.body = { error: message };
    return;
  }
  problemPage(ctx, status, message);
}

function describe(error: unknown): { readonly status: number; readonly message: string } {
  if (error instanceof RefusedError) return error;
  if (error instanceof errors.SessionNotFound) {
    return { status: 400, message: 'This sign-in has expired or began in another browser.' };
  }
  return { status: 500, message: 'The provider failed. Its log says more.' };
}

import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { sessionWaitsForIssuer } from '../api/client.js';
import { deliveryFilter } from '../deliveries/filter.js';
import { isSameClient } from '../integrations/callback.js';
import { returned } from '../integrations/returned.js';
import { askIssuerAgain } from '../session/ask-issuer-again.js';
import { nextPath } from '../session/next-path.js';
import { sessionQuery } from '../session/session.js';
import { ErrorPage } from '../ui/error-page.js';
import { LoadingPage } from '../ui/loading-page.js';
import { NotFoundPage } from '../ui/not-found-page.js';
import { OutageBanner } from '../ui/outage-banner.js';
import { Frame } from './frame.js';

export interface RouterContext {
  readonly queries: QueryClient;
  /** The pages that there are: all of them, or those of webhooks in the frame of another product. */
  readonly pages: 'all' | 'portal';
}

/** Paths of the portal's pages; other paths redirect to them. */
const PORTAL_PAGES = /^\/(webhooks|deliveries|events)(\/|$)/;

const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: ({ context, location }) => {
    if (context.pages === 'portal' && !PORTAL_PAGES.test(location.pathname)) {
      throw redirect({ to: '/webhooks', replace: true });
    }
  },
  component: () => (
    <>
      <OutageBanner />
      <Outlet />
    </>
  ),
});

const next = ({ next }: Record<string, unknown>): { next?: string | undefined } =>
  typeof next === 'string' ? { next: nextPath(next) } : {};

/** `problem`: why the browser comes back from an issuer without a session. */
const entry = (search: Record<string, unknown>) => ({
  ...next(search),
  ...(typeof search['problem'] === 'string' && { problem: search['problem'] }),
});

/** The pages for visitors who are not signed in; others are sent on to the page they wanted. */
const outside = createRoute({
  getParentRoute: () => root,
  id: 'outside',
  validateSearch: entry,
  beforeLoad: async ({ context, search }) => {
    if (await context.queries.ensureQueryData(sessionQuery)) {
      throw redirect({ href: nextPath(search.next), replace: true });
    }
  },
});
const signIn = createRoute({
  getParentRoute: () => outside,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../session/sign-in-page.js'), 'SignInPage'),
});
const signUp = createRoute({
  getParentRoute: () => outside,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('../session/sign-up-page.js'), 'SignUpPage'),
});

/** Pages that need a session. Without one a visitor is sent to sign in, and comes back afterwards. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: lazyRouteComponent(() => import('./shell.js'), 'Shell'),
  pendingComponent: () => (
    <Frame account={<span className="frame-account" />}>
      <main id="main" className="frame-main">
        <LoadingPage />
      </main>
    </Frame>
  ),
  beforeLoad: async ({ context, location }) => {
    if (context.pages === 'portal') return;
    const user = await context.queries.ensureQueryData(sessionQuery);
    if (user) return;
    if (sessionWaitsForIssuer()) await askIssuerAgain(location.href);
    throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});
const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/integrations', replace: true });
  },
});
const integrations = createRoute({
  getParentRoute: () => inside,
  path: '/integrations',
  component: lazyRouteComponent(() => import('../integrations/page.js'), 'IntegrationsPage'),
});
/**
 * The page to which a provider sends its user back. Only an answer that was begun in this tab needs a session: a user
 * whom an API client sent to the provider must see the code all the same.
 */
const callback = createRoute({
  getParentRoute: () => root,
  path: '/connect/$identityProvider/$provider/callback',
  beforeLoad: async ({ context, location, params }) => {
    if (!returned?.begunHere || !isSameClient(returned.client, params)) return;
    const user = await context.queries.ensureQueryData(sessionQuery);
    if (!user) throw redirect({ to: '/sign-in', search: { next: location.pathname } });
  },
  component: lazyRouteComponent(() => import('../integrations/callback-page.js'), 'CallbackPage'),
});
/** Pages that mails link to need no session: the token in the link is the proof. */
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(
    () => import('../mailed/forgot-password-page.js'),
    'ForgotPasswordPage',
  ),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(
    () => import('../mailed/reset-password-page.js'),
    'ResetPasswordPage',
  ),
});
const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: '/verify-email',
  component: lazyRouteComponent(() => import('../mailed/verify-email-page.js'), 'VerifyEmailPage'),
});
const undoChanges = createRoute({
  getParentRoute: () => root,
  path: '/undo-changes',
  component: lazyRouteComponent(() => import('../mailed/undo-changes-page.js'), 'UndoChangesPage'),
});
const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/unsubscribe',
  component: lazyRouteComponent(() => import('../mailed/unsubscribe-page.js'), 'UnsubscribePage'),
});
const deletionReceipt = createRoute({
  getParentRoute: () => root,
  path: '/deletion-receipts/$receiptId',
  component: lazyRouteComponent(() => import('../account/receipt-page.js'), 'ReceiptPage'),
});
const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyRouteComponent(() => import('../account/account-page.js'), 'AccountPage'),
});
/** The page for operators. The menu leads there, and the services refuse everybody else. */
const operations = createRoute({
  getParentRoute: () => inside,
  path: '/operations',
  component: lazyRouteComponent(() => import('../operators/operators-page.js'), 'OperatorsPage'),
});
const webhooks = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../webhooks/list-page.js'), 'WebhooksPage'),
});
const newWebhook = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/new',
  component: lazyRouteComponent(() => import('../webhooks/new-page.js'), 'NewWebhookPage'),
});
const editWebhook = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/$webhookId/edit',
  component: lazyRouteComponent(() => import('../webhooks/edit-page.js'), 'EditWebhookPage'),
});
const deliveries = createRoute({
  getParentRoute: () => inside,
  path: '/deliveries',
  validateSearch: deliveryFilter,
  component: lazyRouteComponent(() => import('../deliveries/deliveries-page.js'), 'DeliveriesPage'),
});
const event = createRoute({
  getParentRoute: () => inside,
  path: '/events/$messageId',
  component: lazyRouteComponent(() => import('../events/event-page.js'), 'EventPage'),
});
const webhook = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/$webhookId',
  validateSearch: deliveryFilter,
  component: lazyRouteComponent(() => import('../webhooks/webhook-page.js'), 'WebhookPage'),
});
const delivery = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/$webhookId/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('../deliveries/delivery-page.js'), 'DeliveryPage'),
});
/** The page for every other address. */
const unknown = createRoute({
  getParentRoute: () => inside,
  path: '$',
  component: NotFoundPage,
});

const tree = root.addChildren([
  outside.addChildren([signIn, signUp]),
  callback,
  forgotPassword,
  resetPassword,
  verifyEmail,
  undoChanges,
  unsubscribe,
  deletionReceipt,
  inside.addChildren([
    home,
    integrations,
    webhooks,
    newWebhook,
    editWebhook,
    webhook,
    delivery,
    deliveries,
    event,
    account,
    operations,
    unknown,
  ]),
]);

export const createAppRouter = (queries: QueryClient, pages: RouterContext['pages'] = 'all') =>
  createRouter({
    routeTree: tree,
    context: { queries, pages },
    basepath: pages === 'portal' ? '/portal' : '/',
    defaultPreload: 'intent',
    defaultPendingMs: 300,
    scrollRestoration: true,
    defaultPendingComponent: LoadingPage,
    defaultErrorComponent: ErrorPage,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
  interface HistoryState {
    /** Notice of the action on the previous page, shown once on arrival. */
    readonly notice?: string;
    /** The edit enabled this webhook, so deliveries that were held meanwhile can be sent. */
    readonly wasEnabled?: boolean;
  }
}

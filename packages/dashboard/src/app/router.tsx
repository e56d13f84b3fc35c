import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { chunk } from '../api/chunk.js';
import { sessionWaitsForIssuer } from '../api/client.js';
import { deliveryFilter, listView } from '../deliveries/filter.js';
import { askIssuerAgain } from '../session/ask-issuer-again.js';
import { signInPath } from '../session/may-have-session.js';
import type { shareSession } from '../session/resume.js';
import { sessionQuery } from '../session/session.js';
import { ErrorPage } from '../ui/error-page.js';
import { LoadingPage } from '../ui/loading-page.js';
import { NotFoundPage } from '../ui/not-found-page.js';
import { OutageBanner } from '../ui/outage-banner.js';
import { webhookSearch } from '../webhooks/tabs.js';
import { webhookListSearch } from '../webhooks/webhook-list.js';
import { Frame } from './frame.js';
import { Shell } from './shell.js';

export interface RouterContext {
  readonly queries: QueryClient;
  /** The pages that there are: all of them, or those of webhooks in the frame of another product. */
  readonly pages: 'all' | 'portal';
  /** Is told the user of the pages; the portal shares its session with no other tab. */
  readonly session?: ReturnType<typeof shareSession>;
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
      <Outlet />
      <OutageBanner />
    </>
  ),
});

/** A script of a page of its own, which is loaded when the page is. */
const page: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(chunk(load), name);

/** The header stays while nothing below it can be shown yet, or ever. */
const framed = (content: ReactNode) => (
  <Frame account={<span className="frame-account" />}>
    <main id="main" className="frame-main">
      {content}
    </main>
  </Frame>
);

/** Pages that need a session. Without one a visitor is sent to sign in, and comes back afterwards. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  pendingComponent: () => framed(<LoadingPage />),
  errorComponent: (props) => framed(<ErrorPage {...props} />),
  beforeLoad: async ({ context, location, preload }) => {
    if (context.pages === 'portal' || preload) return; // pointing at a link must not leave the page
    const user = await context.queries.ensureQueryData(sessionQuery);
    if (user) return context.session?.arrived(user);
    if (sessionWaitsForIssuer()) await askIssuerAgain(location.href);
    window.location.replace(signInPath(location.href));
    await new Promise(() => {}); // the page is left
  },
});
const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: page(() => import('../home/home-page.js'), 'HomePage'),
});
const integrations = createRoute({
  getParentRoute: () => inside,
  path: '/integrations',
  component: page(() => import('../integrations/page.js'), 'IntegrationsPage'),
});
/**
 * The page to which a provider sends its user back. A user whom an API client sent to the provider must see the code
 * without a session.
 */
const callback = createRoute({
  getParentRoute: () => root,
  path: '/connect/$identityProvider/$provider/callback',
  component: page(() => import('../integrations/callback-page.js'), 'CallbackPage'),
});
/** Pages that mails link to need no session: the token in the link is the proof. */
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: page(() => import('../mailed/forgot-password-page.js'), 'ForgotPasswordPage'),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: page(() => import('../mailed/reset-password-page.js'), 'ResetPasswordPage'),
});
const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: '/verify-email',
  component: page(() => import('../mailed/verify-email-page.js'), 'VerifyEmailPage'),
});
const undoChanges = createRoute({
  getParentRoute: () => root,
  path: '/undo-changes',
  component: page(() => import('../mailed/undo-changes-page.js'), 'UndoChangesPage'),
});
const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/unsubscribe',
  component: lazyRouteComponent(() => import('../mailed/unsubscribe-page.js'), 'UnsubscribePage'),
});
const deletionReceipt = createRoute({
  getParentRoute: () => root,
  path: '/deletion-receipts/$receiptId',
  component: page(() => import('../account/receipt-page.js'), 'ReceiptPage'),
});
const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: page(() => import('../account/account-page.js'), 'AccountPage'),
});
/** The page for operators. The menu leads there, and the services refuse everybody else. */
const operations = createRoute({
  getParentRoute: () => inside,
  path: '/operations',
  component: page(() => import('../operators/operators-page.js'), 'OperatorsPage'),
});
const webhooks = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks',
  validateSearch: webhookListSearch,
  component: page(() => import('../webhooks/list-page.js'), 'WebhooksPage'),
});
const newWebhook = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/new',
  component: page(() => import('../webhooks/new-page.js'), 'NewWebhookPage'),
});
const deliveries = createRoute({
  getParentRoute: () => inside,
  path: '/deliveries',
  validateSearch: (search) => ({ ...deliveryFilter(search), ...listView(search) }),
  component: page(() => import('../deliveries/deliveries-page.js'), 'DeliveriesPage'),
});
const event = createRoute({
  getParentRoute: () => inside,
  path: '/events/$messageId',
  component: page(() => import('../events/event-page.js'), 'EventPage'),
});
const webhook = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/$webhookId',
  validateSearch: webhookSearch,
  component: page(() => import('../webhooks/webhook-page.js'), 'WebhookPage'),
});
const delivery = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/$webhookId/deliveries/$deliveryId',
  component: page(() => import('../deliveries/delivery-page.js'), 'DeliveryPage'),
});
/** The page for every other address. */
const unknown = createRoute({
  getParentRoute: () => inside,
  path: '$',
  component: NotFoundPage,
});

const tree = root.addChildren([
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
    webhook,
    delivery,
    deliveries,
    event,
    account,
    operations,
    unknown,
  ]),
]);

export const createAppRouter = (context: RouterContext) =>
  createRouter({
    routeTree: tree,
    context,
    basepath: context.pages === 'portal' ? '/portal' : '/',
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
    /** The step opened a delivery beside the list, so that going back closes it. */
    readonly hasPanel?: boolean;
  }
}

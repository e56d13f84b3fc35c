import type Provider from 'oidc-provider';
import type { InteractionResults } from 'oidc-provider';
import { readForm } from './body.js';
import type { Context } from './context.js';
import { consentForm } from './pages/consent.js';
import { loginForm } from './pages/login.js';
import { sendPage } from './pages/page.js';
import { RefusedError } from './refused-error.js';
import { API_RESOURCE, API_SCOPE, isOptional, scopesOf } from './scopes.js';
import { signIn } from './sign-in.js';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** Answers the pages between an app's authorization request and its answer: login, then consent. */
export const interactionRoutes =
  (provider: Provider) =>
  async (ctx: Context): Promise<void> => {
    const interaction = await provider.interactionDetails(ctx.req, ctx.res);
    const form = ctx.method === 'POST' ? await readForm(ctx.req) : undefined;

    switch (interaction.prompt.name) {
      case 'login':
        return login(provider, ctx, interaction, form);
      case 'consent':
        return consent(provider, ctx, interaction, form);
      default:
        throw new RefusedError(501, `This provider has no page for ${interaction.prompt.name}.`);
    }
  };

async function login(
  provider: Provider,
  ctx: Context,
  { params }: Interaction,
  form?: URLSearchParams,
): Promise<void> {
  const action = form?.get('action');
  if (action === 'cancel') return finish(provider, ctx, DENIED);

  const attempt = form && action === 'sign_in' ? signIn(form) : undefined;
  if (attempt && 'accountId' in attempt) return finish(provider, ctx, { login: attempt });

  const heading = `Sign in to continue to ${await appNameOf(provider, params)}`;
  const email = attempt?.email ?? textOf(params['login_hint']);
  sendPage(ctx, {
    title: attempt ? 'Error: Sign in' : 'Sign in',
    body: loginForm({ heading, action: ctx.path, email, error: attempt?.error, cancellable: true }),
    status: attempt ? 422 : 200,
    leadsTo: textOf(params['redirect_uri']),
  });
}

async function consent(
  provider: Provider,
  ctx: Context,
  interaction: Interaction,
  form?: URLSearchParams,
): Promise<void> {
  const { params, session } = interaction;
  const accountId = session?.accountId ?? '';
  const scopes = scopesOf(params['scope']);

  switch (form?.get('action') ?? 'look') {
    case 'allow': {
      const clientId = textOf(params['client_id']) ?? '';
      const ticked = new Set(form?.getAll('scope'));
      const grantId = await grant(provider, { accountId, clientId, scopes, ticked });
      return finish(provider, ctx, { ...interaction.lastSubmission, consent: { grantId } });
    }
    case 'deny':
      return finish(provider, ctx, DENIED);
    case 'switch':
      return startAgain(provider, ctx, params);
    default: {
      const appName = await appNameOf(provider, params);
      sendPage(ctx, {
        title: `Let ${appName} use your account?`,
        body: consentForm({ appName, accountId, scopes, action: ctx.path }),
        leadsTo: textOf(params['redirect_uri']),
      });
    }
  }
}

interface Consent {
  readonly accountId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly ticked: ReadonlySet<string>;
}

/** Each consent is a grant of its own: revoking one leaves the others alone. */
async function grant(
  provider: Provider,
  { accountId, clientId, scopes, ticked }: Consent,
): Promise<string> {
  const isGranted = (scope: string) => !isOptional(scope) || ticked.has(scope);
  const given = new provider.Grant({ accountId, clientId });
  given.addOIDCScope(scopes.filter(isGranted));
  // Written down as refused, or oidc-provider would ask for them for ever.
  given.rejectOIDCScope(scopes.filter((scope) => !isGranted(scope)));
  if (scopes.includes(API_SCOPE)) given.addResourceScope(API_RESOURCE, API_SCOPE);
  return given.save();
}

/** Signs the browser out and repeats the app's request. */
async function startAgain(
  provider: Provider,
  ctx: Context,
  params: Interaction['params'],
): Promise<void> {
  const session = await provider.Session.get(ctx);
  await session.destroy();
  const request = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'string') request.set(name, value);
  }
  ctx.status = 303;
  ctx.redirect(`/auth?${request.toString()}`);
}

const DENIED: InteractionResults = {
  error: 'access_denied',
  error_description: 'The user did not allow access',
};

async function finish(provider: Provider, ctx: Context, result: InteractionResults): Promise<void> {
  const options = { mergeWithLastSubmission: false };
  const returnTo = await provider.interactionResult(ctx.req, ctx.res, result, options);
  ctx.status = 303;
  ctx.redirect(returnTo);
}

async function appNameOf(provider: Provider, params: Interaction['params']): Promise<string> {
  const client = await provider.Client.find(textOf(params['client_id']) ?? '');
  return client?.clientName ?? client?.clientId ?? 'an app';
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

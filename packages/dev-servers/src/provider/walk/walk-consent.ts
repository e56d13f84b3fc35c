import { type Browser, type Field, type Form, openBrowser, type Page } from './browser.js';

/** The credentials with which a person signs in at the provider. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface Walk extends Credentials {
  /** True allows all that is asked, false denies, a list allows only these scopes of the provider. */
  readonly allow: boolean | readonly string[];
}

export interface Revocation extends Credentials {
  /** The client id of the app that loses its access. */
  readonly client: string;
}

/**
 * Signs in and consents on the provider's own pages, as a person with a fresh browser would.
 * Resolves with the redirect back to the app, not followed: it carries `code` or `error`, and `iss`.
 */
export async function walkConsent(authorizationUrl: string | URL, walk: Walk): Promise<URL> {
  const start = new URL(authorizationUrl);
  const redirectUri = start.searchParams.get('redirect_uri');
  const isCallback = ({ href }: URL) => href.split('?')[0] === redirectUri;
  const browser = openBrowser((url) => url.origin === start.origin && !isCallback(url));

  const page = await signInIfAsked(browser, await browser.open(start), walk);
  if (page.isOutside) return page.url;

  const form = formWith(page, { type: 'submit', name: 'action', value: 'allow' });
  if (!form) throw stoppedAt(page);
  const next = await browser.submit(form.action, decision(form, walk.allow));
  if (!next.isOutside) throw stoppedAt(next);
  return next.url;
}

/** Takes an app's access away on the account page, as a person would. Rejects if it has none. */
export async function revokeInAccountPage(
  issuer: string | URL,
  { client, ...credentials }: Revocation,
): Promise<void> {
  const { origin } = new URL(issuer);
  const browser = openBrowser((url) => url.origin === origin);
  const opened = await browser.open(new URL('/account', origin));
  const account = await signInIfAsked(browser, opened, credentials);
  if (account.status !== 200) throw stoppedAt(account);

  const form = formWith(account, { type: 'hidden', name: 'client_id', value: client });
  if (!form) throw new Error(`The account page lists no app ${client}.`);
  const after = await browser.submit(form.action, hiddenFields(form));
  if (after.status !== 200) throw stoppedAt(after);
}

/** Fills in the login page if that is where the browser stands. */
export async function signInIfAsked(
  browser: Browser,
  page: Page,
  { email, password }: Credentials,
): Promise<Page> {
  const form = formWith(page, { type: 'password' });
  if (!form) return page;

  const fields = hiddenFields(form);
  fields.set('email', email);
  fields.set('password', password);
  fields.set('action', 'sign_in');
  const next = await browser.submit(form.action, fields);
  if (formWith(next, { type: 'password' })) throw stoppedAt(next);
  return next;
}

/** The first form with a field that has these attributes. */
export const formWith = ({ forms }: Page, wanted: Field): Form | undefined =>
  forms.find(({ fields }) =>
    fields.some((field) => Object.entries(wanted).every(([name, value]) => field[name] === value)),
  );

function decision(form: Form, allow: Walk['allow']): URLSearchParams {
  const fields = hiddenFields(form);
  fields.set('action', allow === false ? 'deny' : 'allow');
  if (allow === false) return fields;

  const boxes = form.fields.filter(({ type, name }) => type === 'checkbox' && name === 'scope');
  const offered = boxes.map(({ value = '' }) => value);
  const wanted = allow === true ? offered : allow;
  const missing = wanted.find((scope) => !offered.includes(scope));
  if (missing !== undefined) {
    throw new Error(`The consent page offers ${offered.join(', ')}, but not ${missing}.`);
  }

  for (const scope of wanted) fields.append('scope', scope);
  return fields;
}

/** Returns the fields that a form sends besides those that a user fills in. */
function hiddenFields({ fields }: Form): URLSearchParams {
  const hidden = new URLSearchParams();
  for (const { type, name = '', value = '' } of fields) {
    if (type === 'hidden') hidden.append(name, value);
  }
  return hidden;
}

/** Names the page, never its address: the query of an authorization request is not for logs. */
const stoppedAt = ({ status, title }: Page): Error =>
  new Error(`The provider answered ${status} with the page "${title}".`);

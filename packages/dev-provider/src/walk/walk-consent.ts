import { openBrowser, type View } from './browser.js';
import { type Form, formsIn, has, hiddenFields } from './forms.js';
import { type Credentials, signInIfAsked, stoppedAt } from './sign-in-form.js';

export interface Walk extends Credentials {
  /** True allows all that is asked, false denies, a list allows only these scopes of the provider. */
  readonly allow: boolean | readonly string[];
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

  let view: View = await browser.open(start);
  if (!view.left) view = await signInIfAsked(browser, view, walk);
  if (view.left) return view.url;

  const form = formsIn(view.html).find((form) => has(form, 'submit', 'action', 'allow'));
  if (!form) throw stoppedAt(view);
  view = await browser.submit(new URL(form.action, view.url), decision(form, walk.allow));
  if (view.left) return view.url;
  throw stoppedAt(view);
}

function decision(form: Form, allow: Walk['allow']): URLSearchParams {
  const fields = hiddenFields(form);
  fields.set('action', allow === false ? 'deny' : 'allow');
  if (allow === false) return fields;

  const boxes = form.fields.filter(({ type, name }) => type === 'checkbox' && name === 'scope');
  const offered = boxes.map(({ value }) => value);
  const wanted = allow === true ? offered : allow;
  const missing = wanted.find((scope) => !offered.includes(scope));
  if (missing !== undefined) {
    throw new Error(`The consent page offers ${offered.join(', ')}, but not ${missing}.`);
  }

  for (const scope of wanted) fields.append('scope', scope);
  return fields;
}

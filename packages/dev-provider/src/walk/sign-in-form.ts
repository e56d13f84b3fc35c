import type { Browser, View } from './browser.js';
import { type Form, formsIn, has, headingOf, hiddenFields } from './forms.js';

/** How a person signs in at the provider. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

const isLogin = (form: Form): boolean => has(form, 'password');

/** Fills in the login page if that is where the browser stands. */
export async function signInIfAsked(
  browser: Browser,
  view: View,
  { email, password }: Credentials,
): Promise<View> {
  const form = formsIn(view.html).find(isLogin);
  if (!form) return view;

  const fields = hiddenFields(form);
  fields.set('email', email);
  fields.set('password', password);
  fields.set('action', 'sign_in');
  const next = await browser.submit(new URL(form.action, view.url), fields);
  if (formsIn(next.html).some(isLogin)) throw stoppedAt(next);
  return next;
}

/** Names the page, never its address: the query of an authorization request is not for logs. */
export const stoppedAt = ({ status, html }: View): Error =>
  new Error(`The provider answered ${status} with the page "${headingOf(html)}".`);

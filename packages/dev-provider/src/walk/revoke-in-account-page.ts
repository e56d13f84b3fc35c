import { openBrowser } from './browser.js';
import { formsIn, has, hiddenFields } from './forms.js';
import { type Credentials, signInIfAsked, stoppedAt } from './sign-in-form.js';

export interface Revocation extends Credentials {
  /** The client id of the app that loses its access. */
  readonly client: string;
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

  const form = formsIn(account.html).find((form) => has(form, 'hidden', 'client_id', client));
  if (!form) throw new Error(`The account page lists no app ${client}.`);
  const after = await browser.submit(new URL(form.action, account.url), hiddenFields(form));
  if (after.status !== 200) throw stoppedAt(after);
}

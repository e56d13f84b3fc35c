import type { Page } from 'playwright-core';
import type { Visitor } from './visitor.js';

export interface Consent {
  /** Scopes that the user does not allow. */
  readonly without?: readonly string[];
  readonly deny?: boolean;
}

/** Goes through the development provider's own pages, from its sign-in until it sends the browser back. */
export async function consent(
  page: Page,
  { email }: Pick<Visitor, 'email'>,
  { without = [], deny = false }: Consent = {},
): Promise<void> {
  await signInThere(page, email);
  for (const scope of without) await page.locator(`[name=scope][value="${scope}"]`).uncheck();
  await page.getByRole('button', { name: deny ? 'Deny' : 'Allow', exact: true }).click();
}

/** Takes an app's access away, as a person does in the account settings of a provider. */
export async function revokeThere(page: Page, provider: string, email: string): Promise<void> {
  const account = await page.context().newPage();
  await account.goto(new URL('/account', provider).href);
  const revoke = account.getByRole('button', { name: /^Revoke access/ }).first();
  await account.locator('h1').waitFor();
  if (!(await revoke.isVisible())) await signInThere(account, email);
  await revoke.click();
  await account.getByText('No app has access to this account.').waitFor();
  await account.close();
}

/** A browser that has signed in before is not asked again. */
async function signInThere(page: Page, email: string): Promise<void> {
  const field = page.locator('input[name=email]');
  await field.or(page.getByRole('button', { name: 'Allow', exact: true })).waitFor();
  if (!(await field.isVisible())) return;
  await field.fill(email);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

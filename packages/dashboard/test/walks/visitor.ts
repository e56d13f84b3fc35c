import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';

/** Person at the browser, with credentials. */
export interface Visitor {
  readonly email: string;
  readonly password: string;
}

export const somebody = (): Visitor => ({
  email: `ada.${randomUUID().slice(0, 13)}@example.com`,
  password: `pass ${randomUUID()}`,
});

/** Makes an account on the page, and ends on the Integrations page. */
export async function signUp(page: Page, visitor = somebody()): Promise<Visitor> {
  await page.goto('/sign-up');
  await fillCredentials(page, visitor);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { level: 1, name: 'Integrations' }).waitFor();
  return visitor;
}

/** Fills in the form of sign-in or sign-up, wherever it was met. */
export async function fillCredentials(page: Page, { email, password }: Visitor): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await passwordField(page).fill(password);
}

/** Finds the field by the beginning of its label, which ends with the star of a required field. */
export const passwordField = (page: Page | Locator): Locator => page.getByLabel(/^Password/);

let lastCopied: Promise<unknown> = Promise.resolve();

/** Returns the text that a click copies. All pages of the browser share one clipboard, so clicks take turns. */
export async function copied(page: Page, click: () => Promise<void>): Promise<string> {
  const text = lastCopied.then(async () => {
    await click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  });
  lastCopied = text.catch(() => undefined);
  return text;
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
}

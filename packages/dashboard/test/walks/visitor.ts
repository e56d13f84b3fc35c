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

/** Makes an account on the page, and ends on its first page. */
export async function signUp(page: Page, visitor = somebody()): Promise<Visitor> {
  await page.goto('/sign-up');
  await fillCredentials(page, visitor);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await atHome(page);
  return visitor;
}

/** Waits for the first page of an account. */
export const atHome = (page: Page) =>
  page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();

/** The same, and ends on the Integrations page. */
export async function signUpAtIntegrations(page: Page): Promise<Visitor> {
  const visitor = await signUp(page);
  await page.getByLabel('Sections').getByRole('link', { name: 'Integrations' }).click();
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

let lastTurn: Promise<unknown> = Promise.resolve();

/** Uses the clipboard, which all pages of the browser share, in turn. */
function withClipboard<T>(use: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(use);
  lastTurn = turn.catch(() => undefined);
  return turn;
}

/** Returns the text that a click copies. */
export const copied = async (page: Page, click: () => Promise<void>): Promise<string> =>
  withClipboard(async () => {
    await click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  });

/** Pastes a text into a field. */
export const paste = async (field: Locator, text: string): Promise<void> =>
  withClipboard(async () => {
    await field.page().evaluate((text) => navigator.clipboard.writeText(text), text);
    await field.press('Control+V');
  });

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
}

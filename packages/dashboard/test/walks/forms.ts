import { expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openTab } from './receiving.js';
import { signOut, signUp } from './visitor.js';
import { addWebhook, api } from './webhook-form.js';

/** Webhooks that an account has at most. */
const MOST = 50;

export function formWalks(stage: Stage): void {
  it('brings a refusal into sight and gives it the focus, wherever the form was scrolled to', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await addWebhook(page, { url: 'https://receiver.example/refused' });
      await openTab(page, 'Settings');
      await page.getByText('Address and description').click();
      await page.getByRole('textbox', { name: 'URL' }).fill('https://receiver.example/changed');
      const save = page.getByRole('button', { name: 'Save', exact: true });
      await page.evaluate(() => scrollTo(0, 0));
      expect(await isInSight(save)).toBe(true);
      await page.route('**/api/webhooks/wh_*', async (route) =>
        route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
      );
      await save.focus();
      await page.keyboard.press('Enter');
      const refusal = page.getByRole('alert').filter({ hasText: 'This did not work' });
      await refusal.and(page.locator(':focus')).waitFor();
      expect(await isInSight(refusal)).toBe(true);
      await look(page, 'form-refused', { dark: true });
    });
  });

  it('asks before a form that was changed is left, by keys alone', async () => {
    await stage.play(async (page) => {
      const { keyboard } = page;
      await signUp(page);
      await page.goto('/webhooks');
      await page.getByRole('link', { name: 'Add webhook' }).click();
      await page.getByLabel('URL').fill('https://receiver.example/left');
      await page.goBack();
      const question = page.getByRole('dialog', { name: 'Leave without saving?' });
      await question.getByRole('button', { name: 'Stay' }).and(page.locator(':focus')).waitFor();
      await look(page, 'form-left', { dark: true });
      await keyboard.press('Enter');
      await question.waitFor({ state: 'detached' });
      expect(await page.getByLabel('URL').inputValue()).toBe('https://receiver.example/left');
      await page.getByLabel('Sections').getByRole('link', { name: 'Webhooks' }).press('Enter');
      await question.waitFor();
      await keyboard.press('Shift+Tab');
      await keyboard.press('Enter');
      await page.waitForURL('**/webhooks');

      await page.goto('/account');
      await page.getByRole('button', { name: 'Change password' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change your password' });
      await keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Change password' }).click();
      await dialog.getByLabel(/^Current password/).fill('any');
      await keyboard.press('Escape');
      await question.waitFor();
      await question.getByRole('button', { name: 'Leave without saving' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
  });

  it('lets nothing hold a page whose session has ended in another tab', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      const other = await page.context().newPage();
      const asked: string[] = [];
      other.on('dialog', (dialog) => {
        asked.push(dialog.type());
        void dialog.accept();
      });
      await other.goto('/webhooks/new');
      await other.getByLabel('URL').press('h');
      await signOut(page);
      await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      expect(asked).toEqual([]);
    });
  });

  it('says that there is room for no other webhook before the form is filled', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      for (let n = 0; n < MOST; n += 1) {
        const webhook = { url: `https://receiver.example/${n}`, events: ['*'], enabled: true };
        await api(page, 'POST', '/api/webhooks', webhook);
      }
      await page.goto('/webhooks/new');
      await page.getByText(`You have ${MOST} webhooks`).waitFor();
      expect(await page.getByLabel('URL').count()).toBe(0);
      await look(page, 'form-no-room');
    });
  });
}

const isInSight = async (part: Locator): Promise<boolean> =>
  part.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

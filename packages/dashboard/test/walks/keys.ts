import { expect, it } from '@jest/globals';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openTab, play, row } from './receiving.js';
import { signUp } from './visitor.js';
import { addWebhook } from './webhook-form.js';

/** Width from which on a delivery opens beside the list. */
const BESIDE = { width: 1_200, height: 800 };

export function keyWalks(stage: Stage): void {
  it('opens deliveries beside the list by keys alone, and Back closes what was opened', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      const { keyboard } = page;
      await page.setViewportSize(BESIDE);
      await addWebhook(page, { url: `${receiver.url}/keys` });
      await assistant.publish('draft.created');
      await row(page, 'Succeeded').waitFor();
      await assistant.publish('meeting.joined');
      await openTab(page, 'Deliveries');
      await row(page, 'Succeeded').nth(1).waitFor();
      const link = (name: string) => page.getByRole('link', { name });
      const pane = page.getByRole('region', { name: 'Open delivery' });
      const headed = (name: string) => pane.getByRole('heading', { name }).waitFor();

      await link('meeting.joined').focus();
      await keyboard.press('Enter');
      await headed('Meeting joined');
      await page.locator('section:focus').waitFor();
      await keyboard.press('j');
      await headed('Draft created');
      await keyboard.press('ArrowUp');
      await headed('Meeting joined');
      await keyboard.press('ArrowDown');
      await headed('Draft created');
      await keyboard.press('Escape');
      await pane.waitFor({ state: 'detached' });
      await link('draft.created').and(page.locator(':focus')).waitFor();

      await keyboard.press('Enter');
      await headed('Draft created');
      await page.goBack();
      await pane.waitFor({ state: 'detached' });

      await page.getByLabel('Status').selectOption('Exhausted');
      await page.getByText('No matches').waitFor();
      await page.getByLabel('Status').selectOption('Succeeded');
      await page.getByText('2 deliveries that match').waitFor();
      await page.goBack();
      await page.getByText('No matches').waitFor();
      await page.goBack();
      await page.getByText('2 deliveries.').waitFor();
      expect(new URL(page.url()).search).toBe('?tab=deliveries');
    });
  });

  it('leaves no step of history for each letter that is typed', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await addWebhook(page, { url: 'https://receiver.example/typed' });
      await page.getByRole('link', { name: 'Webhooks' }).first().click();
      await page.getByText('1 webhook.').waitFor();
      await page.keyboard.press('/');
      await page.locator('[type=search]:focus').waitFor();
      await page.keyboard.type('typed');
      await page.waitForURL('**/webhooks?text=typed');
      await page.getByLabel('State').selectOption('Paused (0)');
      await page.getByText('0 of 1 webhooks.').waitFor();
      await page.goBack();
      await page.waitForURL('**/webhooks?text=typed');
      await page.goBack();
      await page.getByText('Waiting for the first 2xx').waitFor();
      expect(await page.title()).toBe('Webhook · Junction');
    });
  });

  it('goes anywhere by Ctrl-K, lists its keys, and turns off those without Ctrl', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      const { keyboard } = page;
      const webhookId = await addWebhook(page, { url: `${receiver.url}/anywhere` });
      await assistant.publish('draft.created');
      await row(page, 'Succeeded').waitFor();
      const { headers } = await receiver.waitFor(() => true);
      const goTo = async (text: string) => {
        await keyboard.press('Control+k');
        await page.locator('[role=combobox]:focus').waitFor();
        await keyboard.type(text);
        await page.getByRole('listbox').getByRole('option', { selected: true }).waitFor();
      };
      await goTo('your acc');
      await look(page, 'palette', { dark: true });
      await keyboard.press('Enter');
      await page.waitForURL('**/account');
      await goTo('anywhere');
      await page.getByRole('option', { name: '/anywhere' }).first().waitFor();
      await keyboard.press('Enter');
      await page.waitForURL(`**/webhooks/${webhookId}`);
      await row(page, 'Succeeded').getByRole('link').click();
      await page.waitForURL('**/deliveries/dlv_*');
      const deliveryId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      await goTo(String(headers['webhook-id']));
      await keyboard.press('Enter');
      await page.waitForURL('**/events/msg_*');
      await goTo(deliveryId);
      await keyboard.press('Enter');
      await page.waitForURL(`**/deliveries/${deliveryId}`);
      await goTo('dlv_00000000-0000-7000-8000-000000000000');
      await keyboard.press('Enter');
      await page.getByText('No delivery has this ID.').waitFor();
      await keyboard.press('Escape');

      await keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keys' });
      await look(page, 'keys', { dark: true });
      await dialog.getByLabel('Keys without Ctrl').uncheck();
      await keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await keyboard.press('?');
      await goTo('webhooks');
      expect(await dialog.count()).toBe(0);
    });
  });
}

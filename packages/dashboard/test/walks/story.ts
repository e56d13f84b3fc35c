import { expect, it } from '@jest/globals';
import { startReceiver } from '@junction/testing';
import { verifyServiceSignature } from '@junction/webhook-signing';
import { look, PHONE } from '../look.js';
import type { Stage } from '../stage.js';
import { consent } from './provider-pages.js';
import { signUp } from './visitor.js';
import { assistantOf } from './webhook-form.js';

export function storyWalk(stage: Stage): void {
  it.concurrent('does the whole story on a phone, led by the checklist, which goes away once a delivery has arrived', async () => {
    const receiver = await startReceiver();
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await page.getByText('0 of 4 done').waitFor();
      await page.getByRole('button', { name: 'Connect mailbox at Acme' }).click();
      await consent(page, ada);
      await page.getByText('Your mailbox is connected').waitFor();

      await page.getByText('1 of 4 done').waitFor();
      await look(page, 'start', { dark: true });
      await page.setViewportSize(PHONE);
      await page.getByRole('link', { name: 'Add a webhook' }).click();
      await page.getByLabel('URL').fill(`${receiver.url}/story`);
      await page.getByRole('button', { name: 'Add webhook' }).click();
      const dialog = page.getByRole('dialog');
      const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent()) ?? '';
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText('Nothing sent yet').waitFor();

      await page.getByLabel('Sections').getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('2 of 4 done').waitFor();
      await page.getByRole('link', { name: 'Send a test event' }).click();
      await page.getByText('Nothing sent yet').waitFor();

      const assistant = await assistantOf(page, stage.product());
      await assistant.publish('inbox.organized', {
        total_emails: 47,
        categorized: { important: 5, meetings: 8, tasks: 12 },
      });
      await assistant.close();
      const { body, headers } = await receiver.waitFor(({ path }) => path === '/story');
      const signature = headers['x-service-signature']?.toString();
      expect(verifyServiceSignature(body, signature, secret)).toBe(true);
      await page.getByRole('link', { name: 'inbox.organized' }).click();
      await page.getByText('The receiver accepted it on the first attempt.').waitFor();

      await page.getByRole('link', { name: 'Integrations' }).click();
      await page.getByRole('button', { name: 'Disconnect' }).waitFor();
      await page.getByText('Get started').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText(`Your mailbox ${ada.email} at Acme was disconnected.`).waitFor();
    }, PHONE);
    await receiver.close();
  });
}

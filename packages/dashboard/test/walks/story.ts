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
      await page.getByRole('link', { name: 'Connect an account' }).click();
      await page.getByRole('button', { name: 'Connect mailbox at Acme' }).click();
      await consent(page, ada);
      await page.getByText('Your mailbox is connected').waitFor();

      await page.getByRole('link', { name: 'Home' }).click();
      await page.getByText('1 of 4 done').waitFor();
      await look(page, 'start', { dark: true });
      await page.setViewportSize(PHONE);
      await page.getByRole('link', { name: 'Add a webhook' }).click();
      await page.getByLabel('URL').fill(`${receiver.url}/story`);
      await page.getByRole('button', { name: 'Add webhook' }).click();
      const connect = page.getByRole('region', { name: 'Connect your receiver' });
      await connect.getByText('Waiting for the first 2xx…').waitFor();
      const example = (await connect.getByLabel('Receiver in Node.js').textContent()) ?? '';
      const secret = /WEBHOOK_SECRET='(.+)' node/.exec(example)?.[1] ?? '';

      await page.getByRole('link', { name: 'Home' }).click();
      await page.getByText('2 of 4 done').waitFor();
      expect(await page.getByText('Nothing needs you').count()).toBe(0);
      await page.getByRole('link', { name: 'Have an event sent' }).click();
      await connect.getByText('Waiting for the first 2xx…').waitFor();

      const assistant = await assistantOf(page, stage.product());
      await assistant.publish('inbox.organized', {
        total_emails: 47,
        categorized: { important: 5, meetings: 8, tasks: 12 },
      });
      await assistant.close();
      const { body, headers } = await receiver.waitFor(({ path }) => path === '/story');
      const signature = headers['x-service-signature']?.toString();
      expect(verifyServiceSignature(body, signature, secret)).toBe(true);
      await connect.getByText('Your receiver answered 2xx: it is connected.').waitFor();
      await look(page, 'webhook-connected', { dark: true });
      await page.getByRole('link', { name: 'inbox.organized' }).click();
      await page.getByText('The receiver accepted it on the first attempt.').waitFor();

      await page.getByRole('link', { name: 'Home' }).click();
      await page.getByText('Nothing needs you').waitFor();
      await page.getByText('Get started').waitFor({ state: 'hidden' });
      await page.getByText('To 1 webhook').waitFor();
      await page.getByRole('link', { name: 'Integrations' }).click();
      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText(`Your mailbox ${ada.email} at Acme was disconnected.`).waitFor();
    }, PHONE);
    await receiver.close();
  });
}

import type { SharedProduct } from '@junction/demo';
import { kafkaProducer, type NewEvent } from '@junction/producer';
import type { Page } from 'playwright-core';

/** Fields that the test fills in; the rest keeps its defaults. */
export interface NewWebhook {
  readonly url: string;
  /** Secret to enter; absent: none. */
  readonly secret?: string;
}

/** Adds a webhook through the form, ends on its page, and returns its id. */
export async function addWebhook(page: Page, { url, secret }: NewWebhook): Promise<string> {
  await page.goto('/webhooks/new');
  await page.getByLabel('URL').fill(url);
  if (secret === undefined) {
    await page.getByLabel('No secret').check();
  } else {
    await page.getByLabel('Use my own').check();
    await page.getByLabel('Your secret').fill(secret);
  }
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText('Webhook added.').waitFor();
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

/** The signed-in user's own call of the API, as a script of the page would make it. */
export const api = (page: Page, method: string, path: string, body?: object): Promise<unknown> =>
  page.evaluate(
    async ([method, path, body]) => {
      const response = await fetch(path, {
        method,
        headers: { 'x-junction-csrf': '1', 'content-type': 'application/json' },
        ...(body && { body }),
      });
      return response.json();
    },
    [method, path, body && JSON.stringify(body)] as const,
  );

/** Publishes events of the signed-in user, as the assistant would. */
export interface Assistant {
  publish(type: string, data?: object): Promise<void>;
  close(): Promise<void>;
}

export async function assistantOf(page: Page, { endpoints }: SharedProduct): Promise<Assistant> {
  const { user } = (await api(page, 'GET', '/api/auth/me')) as { user: { id: string } };
  const producer = await kafkaProducer({
    brokers: [endpoints.kafka],
    source: 'assistant/test',
  });
  return {
    async publish(type, data = { note: `of ${type}` }) {
      const event = { id: crypto.randomUUID(), type, userId: user.id, data };
      await producer.publish(event as NewEvent);
    },
    close: () => producer.close(),
  };
}

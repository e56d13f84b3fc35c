import type { SharedProduct } from '@junction/demo';
import { kafkaProducer, type NewEvent } from '@junction/producer';
import type { Locator, Page } from 'playwright-core';

export interface NewWebhook {
  readonly url: string;
  /** Secret to sign with; absent: none. */
  readonly secret?: string;
}

/** Kinds that the form of a new webhook proposes. */
const KINDS = [
  'inbox.organized',
  'draft.created',
  'meeting.joined',
  'briefing.sent',
  'reminder.sent',
];

/** Adds a webhook, ends on its page, and returns its id. */
export async function addWebhook(page: Page, webhook: NewWebhook): Promise<string> {
  const body = { ...webhook, events: KINDS };
  const made = (await api(page, 'POST', '/api/webhooks', body)) as { webhook_id: string };
  await page.goto(`/webhooks/${made.webhook_id}`);
  await page.getByText('Waiting for the first 2xx…').waitFor();
  return made.webhook_id;
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

/** Opens a group of settings on the page of a webhook, and returns it. */
export async function openSettings(page: Page, title: string): Promise<Locator> {
  const tab = page.getByRole('navigation', { name: 'Webhook', exact: true });
  await tab.getByRole('link', { name: 'Settings' }).click();
  const group = page.locator('details').filter({ has: page.getByText(title, { exact: true }) });
  await group.locator('summary').first().click();
  return group;
}

/** Saves a group of settings. */
export async function saveSettings(group: Locator): Promise<void> {
  await group.getByRole('button', { name: 'Save', exact: true }).click();
  await group.getByText('Your changes are saved').waitFor();
}

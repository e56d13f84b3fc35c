import { type Receiver, startReceiver } from '@junction/testing';
import type { Frame, Page } from 'playwright-core';
import type { Stage } from '../stage.js';
import { signUp } from './visitor.js';
import { type Assistant, assistantOf } from './webhook-form.js';

export interface Scene {
  readonly page: Page;
  readonly receiver: Receiver;
  readonly assistant: Assistant;
}

/** Plays a scene with a new user, a receiver of that user, and an assistant that publishes events about the user. */
export const play = (stage: Stage, scene: (scene: Scene) => Promise<void>) =>
  stage.play(async (page) => {
    await signUp(page);
    const receiver = await startReceiver();
    const assistant = await assistantOf(page, stage.product());
    try {
      await scene({ page, receiver, assistant });
    } finally {
      await assistant.close();
      await receiver.close();
    }
  });

/** Opens a tab of a webhook's page. */
export const openTab = (page: Page, name: 'Overview' | 'Deliveries' | 'Settings') =>
  page
    .getByRole('navigation', { name: 'Webhook', exact: true })
    .getByRole('link', { name })
    .click();

/** Goes to a section by the header. */
export const openSection = (page: Page | Frame, name: 'Webhooks' | 'Deliveries') =>
  page.getByLabel('Sections').getByRole('link', { name }).click();

/** Rows of deliveries with this status. */
export const row = (page: Page, status: string) =>
  page.getByRole('row').filter({ has: page.getByRole('cell', { name: status, exact: true }) });

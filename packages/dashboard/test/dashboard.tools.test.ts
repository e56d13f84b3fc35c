import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { callbackWalks } from './walks/callback.js';
import { deliveryWalks } from './walks/deliveries.js';
import { integrationWalks } from './walks/integrations.js';
import { keyboardWalks } from './walks/keyboard.js';
import { outageWalks } from './walks/outage.js';
import { sessionWalks } from './walks/session.js';
import { storyWalk } from './walks/story.js';
import { webhookWalks } from './walks/webhooks.js';

// One file: a product and a browser are started once for all walks.
const stage = useStage();

describe('a visitor', () => {
  sessionWalks(stage);
});
describe('on the Integrations page, one', () => {
  integrationWalks(stage);
});
describe('the page that a provider sends its user back to', () => {
  callbackWalks(stage);
});
describe('on the Webhooks page, one', () => {
  webhookWalks(stage);
});
describe('a page with deliveries', () => {
  deliveryWalks(stage);
});
describe('the dashboard', () => {
  keyboardWalks(stage);
  storyWalk(stage);
  // The last ones: they kill a service that the others need.
  outageWalks(stage);
});

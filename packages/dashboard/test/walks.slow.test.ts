import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { callbackDetailWalks } from './walks/callback.js';
import { deliveryDetailWalks } from './walks/deliveries.js';
import { firstPaintWalks } from './walks/frame.js';
import { integrationDetailWalks } from './walks/integrations.js';
import { passkeyWalks } from './walks/second-factor.js';
import { sendingAgainDetailWalks } from './walks/sending-again.js';
import { webhookOptionDetailWalks } from './walks/webhook-options.js';
import { webhookDetailWalks } from './walks/webhooks.js';

// The gate walks through the main job of every page (*.tools.test.ts). Each option, refusal and width is walked here,
// because a browser takes too long for the gate.
const stage = useStage();

describe('the dashboard', () => {
  firstPaintWalks(stage);
});
describe('a user with an account', () => {
  passkeyWalks(stage);
});
describe('a user on the Integrations page', () => {
  integrationDetailWalks(stage);
});
describe('the page that a provider sends its user back to', () => {
  callbackDetailWalks(stage);
});
describe('a user on the Webhooks page', () => {
  webhookDetailWalks(stage);
});
describe('a page with deliveries', () => {
  deliveryDetailWalks(stage);
});
describe('a user whose delivery failed', () => {
  sendingAgainDetailWalks(stage);
});
describe('a user with a webhook', () => {
  webhookOptionDetailWalks(stage);
});

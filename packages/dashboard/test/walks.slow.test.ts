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

// The main job of every page is walked through in the gate (*.tools.test.ts). A browser costs too much to repeat it there
// with each option, refusal and width.
const stage = useStage();

describe('the dashboard', () => {
  firstPaintWalks(stage);
});
describe('a user with an account', () => {
  passkeyWalks(stage);
});
describe('on the Integrations page, one', () => {
  integrationDetailWalks(stage);
});
describe('the page that a provider sends its user back to', () => {
  callbackDetailWalks(stage);
});
describe('on the Webhooks page, one', () => {
  webhookDetailWalks(stage);
});
describe('a page with deliveries', () => {
  deliveryDetailWalks(stage);
});
describe('when something failed, one', () => {
  sendingAgainDetailWalks(stage);
});
describe('of a webhook, one', () => {
  webhookOptionDetailWalks(stage);
});

import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { deliveryDetailWalks } from './walks/deliveries.js';
import { formWalks } from './walks/forms.js';
import { homeWalks } from './walks/home.js';
import { keyWalks } from './walks/keys.js';
import { portalDetailWalks } from './walks/portal.js';
import { sendingAgainDetailWalks } from './walks/sending-again.js';
import { stateWordWalks } from './walks/state-words.js';
import { webhookOptionWalks } from './walks/webhook-options.js';
import { webhookDetailWalks } from './walks/webhooks.js';

const stage = useStage();

describe('a user at home', () => {
  homeWalks(stage);
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
  webhookOptionWalks(stage);
  stateWordWalks(stage);
});
describe('a form', () => {
  formWalks(stage);
});
describe('the keyboard', () => {
  keyWalks(stage);
});
describe('in the frame of another product', () => {
  portalDetailWalks(stage);
});

import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { deliveryWalks } from './walks/deliveries.js';
import { portalWalks } from './walks/portal.js';
import { sendingAgainWalks } from './walks/sending-again.js';
import { storyWalk } from './walks/story.js';
import { webhookWalks } from './walks/webhooks.js';

const stage = useStage();

describe('the dashboard', () => {
  storyWalk(stage);
});
describe('a user on the Webhooks page', () => {
  webhookWalks(stage);
});
describe('a page with deliveries', () => {
  deliveryWalks(stage);
});
describe('a user whose delivery failed', () => {
  sendingAgainWalks(stage);
});
describe('in the frame of another product', () => {
  portalWalks(stage);
});

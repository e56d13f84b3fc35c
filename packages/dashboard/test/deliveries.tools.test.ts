import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { deliveryWalks } from './walks/deliveries.js';
import { webhookWalks } from './walks/webhooks.js';

const stage = useStage();

describe('a user on the Webhooks page', () => {
  webhookWalks(stage);
});
describe('a page with deliveries', () => {
  deliveryWalks(stage);
});

import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { deliveryWalks } from './walks/deliveries.js';
import { webhookWalks } from './walks/webhooks.js';

const stage = useStage();

describe('on the Webhooks page, one', () => {
  webhookWalks(stage);
});
describe('a page with deliveries', () => {
  deliveryWalks(stage);
});

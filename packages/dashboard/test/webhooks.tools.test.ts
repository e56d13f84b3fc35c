import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { sendingAgainWalks } from './walks/sending-again.js';
import { webhookOptionWalks } from './walks/webhook-options.js';

const stage = useStage();

describe('when something failed, one', () => {
  sendingAgainWalks(stage);
});
describe('of a webhook, one', () => {
  webhookOptionWalks(stage);
});

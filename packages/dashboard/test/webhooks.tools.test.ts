import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { sendingAgainWalks } from './walks/sending-again.js';
import { webhookOptionWalks } from './walks/webhook-options.js';

const stage = useStage();

describe('a user whose delivery failed', () => {
  sendingAgainWalks(stage);
});
describe('a user with a webhook', () => {
  webhookOptionWalks(stage);
});

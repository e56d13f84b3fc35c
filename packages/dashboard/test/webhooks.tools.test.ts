import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { sendingAgainWalks } from './walks/sending-again.js';

const stage = useStage();

describe('when something failed, one', () => {
  sendingAgainWalks(stage);
});

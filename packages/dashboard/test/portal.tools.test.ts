import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { portalWalks } from './walks/portal.js';

const stage = useStage();

describe('in the frame of another product', () => {
  portalWalks(stage);
});

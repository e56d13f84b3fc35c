import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { operatorWalks } from './walks/operators.js';

const stage = useStage();

describe('an operator', () => {
  operatorWalks(stage);
});

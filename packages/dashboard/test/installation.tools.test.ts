import { describe } from '@jest/globals';
import { useOwnStage } from './stage.js';
import { installationWalks } from './walks/installation.js';
import { operatorWalks } from './walks/operators.js';
import { outageWalks } from './walks/outage.js';
import { portalWalks } from './walks/portal.js';

const stage = useOwnStage();

describe('in an installation', () => {
  installationWalks(stage);
});
describe('in the frame of another product', () => {
  portalWalks(stage);
});
describe('an operator', () => {
  operatorWalks(stage);
});
describe('the dashboard', () => {
  outageWalks(stage);
});

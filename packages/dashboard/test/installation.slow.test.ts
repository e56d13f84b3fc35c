import { describe } from '@jest/globals';
import { useOwnStage } from './stage.js';
import { installationWalks } from './walks/installation.js';
import { loadingWalks } from './walks/outage.js';

const stage = useOwnStage();

describe('in an installation', () => {
  installationWalks(stage);
});
describe('the dashboard', () => {
  loadingWalks(stage);
});

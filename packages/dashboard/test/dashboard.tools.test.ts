import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { accountWalks } from './walks/account.js';
import { integrationWalks } from './walks/integrations.js';
import { issuerAgainWalks } from './walks/issuers-again.js';
import { outageWalks } from './walks/outage.js';
import { sessionWalks } from './walks/session.js';

const stage = useStage();

describe('a visitor', () => {
  sessionWalks(stage);
});
describe('a user with an account', () => {
  accountWalks(stage);
});
describe('a user of a trusted issuer', () => {
  issuerAgainWalks(stage);
});
describe('a user on the Integrations page', () => {
  integrationWalks(stage);
});
describe('the dashboard', () => {
  outageWalks(stage);
});

import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { accountDetailWalks } from './walks/account.js';
import { callbackWalks } from './walks/callback.js';
import { firstPaintWalks, frameWalks } from './walks/frame.js';
import { integrationDetailWalks } from './walks/integrations.js';
import { firstLoadWalks, interruptionWalks } from './walks/interruptions.js';
import { issuerWalks } from './walks/issuers.js';
import { issuerAgainDetailWalks } from './walks/issuers-again.js';
import { keyboardWalks } from './walks/keyboard.js';
import { operatorWalks } from './walks/operators.js';
import { passkeyWalks, secondFactorWalks } from './walks/second-factor.js';
import { sessionDetailWalks } from './walks/session.js';

// The gate walks through what the product is for (*.tools.test.ts). Options, refusals and widths are walked here and
// in webhook-walks.slow.test.ts, because a browser takes too long for the gate.
const stage = useStage();

describe('a visitor', () => {
  sessionDetailWalks(stage);
});
describe('a user with an account', () => {
  accountDetailWalks(stage);
  secondFactorWalks(stage);
  passkeyWalks(stage);
});
describe('an operator', () => {
  operatorWalks(stage);
});
describe('a user of a trusted issuer', () => {
  issuerWalks(stage);
  issuerAgainDetailWalks(stage);
});
describe('a user on the Integrations page', () => {
  integrationDetailWalks(stage);
});
describe('the page that a provider sends its user back to', () => {
  callbackWalks(stage);
});
describe('the dashboard', () => {
  frameWalks(stage);
  firstPaintWalks(stage);
  keyboardWalks(stage);
  interruptionWalks(stage);
  firstLoadWalks(stage);
});

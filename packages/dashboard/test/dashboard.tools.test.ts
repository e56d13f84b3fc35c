import { describe } from '@jest/globals';
import { useStage } from './stage.js';
import { accountWalks } from './walks/account.js';
import { callbackWalks } from './walks/callback.js';
import { frameWalks } from './walks/frame.js';
import { integrationWalks } from './walks/integrations.js';
import { issuerWalks } from './walks/issuers.js';
import { issuerAgainWalks } from './walks/issuers-again.js';
import { keyboardWalks } from './walks/keyboard.js';
import { secondFactorWalks } from './walks/second-factor.js';
import { sessionWalks } from './walks/session.js';
import { storyWalk } from './walks/story.js';

const stage = useStage();

describe('a visitor', () => {
  sessionWalks(stage);
});
describe('a user with an account', () => {
  accountWalks(stage);
  secondFactorWalks(stage);
});
describe('a user of a trusted issuer', () => {
  issuerWalks(stage);
  issuerAgainWalks(stage);
});
describe('a user on the Integrations page', () => {
  integrationWalks(stage);
});
describe('the page that a provider sends its user back to', () => {
  callbackWalks(stage);
});
describe('the dashboard', () => {
  frameWalks(stage);
  keyboardWalks(stage);
  storyWalk(stage);
});

import { describe, expect, it } from '@jest/globals';
import { stepsOf } from './steps.js';

const NOTHING = { hasConnected: false, hasWebhook: false, isSent: false, isAccepted: false };
const SENT = { hasConnected: true, hasWebhook: true, isSent: true, isAccepted: false };

describe('the steps of a new account', () => {
  it.each([
    ['an empty account', NOTHING, ''],
    ['an account that has connected a mailbox', { ...NOTHING, hasConnected: true }, 'connect'],
    ['an account with a webhook alone', { ...NOTHING, hasWebhook: true }, 'webhook'],
    ['an account whose receiver refused', SENT, 'connect webhook test'],
    [
      'an account whose receiver accepted',
      { ...SENT, isAccepted: true },
      'connect webhook test verified',
    ],
  ])('have, for %s, what is done', (_account, progress, done) => {
    const names = stepsOf(progress).filter(({ isDone }) => isDone);
    expect(names.map(({ name }) => name).join(' ')).toBe(done);
  });
});

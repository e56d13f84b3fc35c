import { describe, expect, it } from '@jest/globals';
import { stepsOf } from './steps.js';

const NOTHING = { webhookId: undefined, isSent: false, isAccepted: false };

describe('the steps of a new account', () => {
  it.each([
    ['an empty account', false, NOTHING, ''],
    ['an account that has connected a mailbox', true, NOTHING, 'connect'],
    ['an account with a webhook alone', false, { ...NOTHING, webhookId: 'wh_1' }, 'webhook'],
    [
      'an account whose receiver refused',
      true,
      { webhookId: 'wh_1', isSent: true, isAccepted: false },
      'connect webhook test',
    ],
    [
      'an account whose receiver accepted',
      true,
      { webhookId: 'wh_1', isSent: true, isAccepted: true },
      'connect webhook test verified',
    ],
  ])('have, for %s, what is done', (_account, hasConnected, start, done) => {
    const names = stepsOf(hasConnected, start).filter(({ isDone }) => isDone);
    expect(names.map(({ name }) => name).join(' ')).toBe(done);
  });
});

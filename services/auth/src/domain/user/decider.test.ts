import { describe, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { type UserCommand, userDecider } from './decider.js';
import type { UserEvent } from './events.js';

const { given } = specification(userDecider);
const AT = '2030-01-02T03:04:05.000Z';
const userId = 'b2f7c1de-6f1c-4c0e-9a3b-0d7d5c1a2b3c';

describe('a user', () => {
  it('begins by registering an address', () => {
    given().when(register).thenEvents(registered);
  });

  it('cannot register under an id that is taken', () => {
    given(registered).when(register).thenRefused('user_exists');
  });

  it('can be deleted', () => {
    given(registered).when(remove).thenEvents(deleted);
  });

  it('is deleted once, however often it is asked', () => {
    given(registered, deleted).when(remove).thenNothing();
  });

  it('who never registered has nothing to delete', () => {
    given().when(remove).thenNothing();
  });

  it('does not come back under the same id', () => {
    given(registered, deleted).when(register).thenRefused('user_exists');
  });
});

const email = 'ada@example.com';
const register: UserCommand = { type: 'RegisterUser', data: { userId, email, at: AT } };
const remove: UserCommand = { type: 'DeleteUser', data: { at: AT } };
const registered: UserEvent = {
  type: 'user.registered',
  data: { userId, email, at: AT },
};
const deleted: UserEvent = { type: 'user.deleted', data: { userId, at: AT } };

import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { connect } from './connect.js';
import type { Grant, Ports } from './ports.js';
import { tokenRequests } from './token-requests.js';

describe('a process that stops', () => {
  it('waits for the exchange of a code, though nobody waits for it any more', async () => {
    const { ports, answer, done } = needing();
    const requests = tokenRequests();
    const connecting = connect(ports, requests)('ada', 'mailbox', REQUEST);
    await eventually(() => expect(done()).toEqual(['consumed', 'exchanged']));
    let isDrained = false;
    const drained = requests.drain().then(() => (isDrained = true));
    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    answer();
    await drained;
    expect(done()).toEqual(['consumed', 'exchanged', 'connected']);
    expect(await connecting).toMatchObject({ renewable: true });
  });

  it('does not use up a code', async () => {
    const { ports, done } = needing();
    const requests = tokenRequests();
    await requests.drain();
    const refused = { kind: 'unavailable', code: 'stopping' };
    await expect(connect(ports, requests)('ada', 'mailbox', REQUEST)).rejects.toMatchObject(
      refused,
    );
    expect(done()).toEqual([]);
  });
});

const REQUEST = { authCode: 'code', state: undefined, iss: undefined };
const GRANT: Grant = {
  accessToken: 'at',
  refreshToken: 'rt',
  expiresAt: new Date(),
  scopes: { grantedScopes: [], missingScopes: [] },
  account: 'ada@example.com',
  accountId: 'account-1',
};

/** The provider answers with tokens after `answer`. */
function needing() {
  const done: string[] = [];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const provider = {
    separateGrants: true,
    issuer: async () => 'https://provider.example',
    async exchange() {
      done.push('exchanged');
      await answered;
      return GRANT;
    },
  };
  const ports = {
    providers: new Map([['mailbox', provider]]),
    authorizations: {
      async consume() {
        done.push('consumed');
        return {};
      },
    },
    unitOfWork: {
      async inUserTurn() {
        done.push('connected');
        return { accountChanged: false };
      },
    },
    now: () => new Date(),
  } as unknown as Ports;
  return { ports, answer: () => answer(), done: () => done };
}

import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { Grant, Ports } from '../ports.js';
import { ProviderError } from '../provider-error.js';
import { tokenRequests } from '../token-requests.js';
import { type CodeRequest, connect } from './connect.js';

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

describe('a code', () => {
  it('is not used up for another issuer, nor while the provider cannot say who it is', async () => {
    const { ports, done, provider } = needing();
    const post = async (iss?: string) =>
      connect(ports, tokenRequests())('ada', 'mailbox', { ...REQUEST, iss });
    await expect(post('https://attacker.example')).rejects.toMatchObject({
      code: 'invalid_issuer',
    });
    provider.isIssuer = async () => Promise.reject(failure({ sent: false }));
    await expect(post()).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(done()).toEqual([]);
  });

  it.each([
    ['can be used again when the provider surely never saw it', false, ['released']],
    ['is used up when the provider may have seen it', true, []],
  ])('%s', async (_, sent, released) => {
    const { ports, done, provider } = needing();
    provider.exchange = async () => Promise.reject(failure({ sent }));
    await expect(connect(ports, tokenRequests())('ada', 'mailbox', REQUEST)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining(sent ? 'may have been used up' : 'not used up'),
    });
    expect(done()).toEqual(['consumed', ...released]);
  });
});

describe('a client that the provider does not accept', () => {
  it('is told to operators by a code, too', async () => {
    const { ports, done, provider } = needing();
    const refused = { failure: 'misconfigured', reason: 'invalid_client', sent: true } as const;
    provider.exchange = async () => Promise.reject(new ProviderError(refused));
    await expect(connect(ports, tokenRequests())('ada', 'mailbox', REQUEST)).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    expect(done()).toEqual(['consumed', 'logged invalid_client of acme/mailbox']);
  });
});

const failure = ({ sent }: { readonly sent: boolean }) =>
  new ProviderError({ failure: 'unavailable', reason: 'timeout', sent });

const REQUEST: CodeRequest = {
  authCode: 'code',
  identityProvider: undefined,
  state: undefined,
  iss: undefined,
  onLimit: () => {},
};
const GRANT: Grant = {
  accessToken: 'at',
  refreshToken: 'rt',
  expiresAt: new Date(),
  scopes: { grantedScopes: [], missingScopes: [] },
  unaskedScopes: [],
  account: 'ada@example.com',
  accountId: 'account-1',
};

/** Creates ports whose provider answers with tokens after `answer`. */
function needing() {
  const done: string[] = [];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const provider = {
    client: { identityProvider: 'acme', provider: 'mailbox' },
    separateGrants: true,
    isIssuer: async (iss?: string) => iss !== 'https://attacker.example',
    async exchange() {
      done.push('exchanged');
      await answered;
      return GRANT;
    },
  };
  const ports = {
    providers: new Map([['acme/mailbox', provider]]),
    authorizations: {
      identityProvider: async () => 'acme',
      async consume() {
        done.push('consumed');
        return {};
      },
      async release() {
        done.push('released');
      },
    },
    unitOfWork: {
      async inUserTurn() {
        done.push('connected');
        return { connectionId: 'con_1', renewable: true };
      },
    },
    log: {
      error: ({ client, reason }: { readonly client: string; readonly reason: string }) =>
        done.push(`logged ${reason} of ${client}`),
    },
    now: () => new Date(),
  } as unknown as Ports;
  return { ports, provider, answer: () => answer(), done: () => done };
}

import { describe, expect, it } from '@jest/globals';
import type { Ports } from '../ports.js';
import { authorize } from './authorize.js';
import { returnToOf } from './return-to.js';

const HERE = 'https://app.example/here';
const CLIENT = { identityProvider: 'acme', provider: 'mailbox' };
const THERE = 'https://app.example/there?from=junction';

describe('an address to return to', () => {
  it.each([
    'https://evil.example/here',
    `${HERE}/`,
    `${HERE}/../evil`,
    `${HERE}?x=1`,
    `${HERE}#x`,
    `${HERE}.evil.example`,
    'https://app.example',
    'https://APP.example/here',
    'https://app.example:443/here',
    'https://app.example@evil.example/here',
    'https://app.example.evil.example/here',
    'http://app.example/here',
    '//app.example/here',
    'javascript:alert(1)',
    `${HERE},${THERE}`,
    'https://app.example/there',
  ])('%s is refused when it is not on the list to the letter', async (returnTo) => {
    const { ports, begun } = allowing(HERE, THERE);
    await expect(authorize(ports)('ada', 'mailbox', { returnTo })).rejects.toMatchObject({
      code: 'return_to_not_allowed',
      fields: [{ field: 'return_to' }],
    });
    expect(begun).toEqual([]);
  });

  it('on the list is kept with its authorization', async () => {
    const { ports, begun } = allowing(HERE, THERE);
    await authorize(ports)('ada', 'mailbox', { returnTo: THERE });
    expect(begun).toMatchObject([{ userId: 'ada', ...CLIENT, returnTo: THERE }]);
  });

  it('is given while it is on the list', async () => {
    const toldBy = (...list: string[]) => returnToOf(allowing(...list).ports)(CLIENT, HERE);
    expect(await toldBy(THERE, HERE)).toBe(HERE);
    expect(await toldBy(THERE)).toBeUndefined();
    expect(await toldBy()).toBeUndefined();
  });
});

/**
 * Creates `returnToOf` with this list of addresses. Each authorization was started with its own state as the address.
 */
function allowing(...list: readonly string[]) {
  const begun: unknown[] = [];
  const provider = {
    client: CLIENT,
    redirectUri: 'https://junction.example',
    authorizationUrl: async () => 'url',
  };
  const ports = {
    providers: new Map([['acme/mailbox', provider]]),
    returnTo: new Set(list),
    random: (bytes: number) => Buffer.alloc(bytes),
    authorizations: {
      add: async (request: unknown) => void begun.push(request),
      returnTo: async (_: unknown, state: string) => state,
    },
  } as unknown as Ports;
  return { ports, begun };
}

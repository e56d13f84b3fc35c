import { describe, expect, it } from '@jest/globals';
import { keyPair, newSigningKey } from '@junction/webhook-signing';
import { publicJwk, type WebhookKey, webhookKeys } from './webhook-keys.js';

const hour = (n: number) => new Date(Date.UTC(2030, 0, 1, n));

describe('the keys of the service', () => {
  const old = key('old', { signsFrom: hour(0), signsUntil: hour(4), publishedUntil: hour(5) });
  const next = key('next', { signsFrom: hour(2) });

  it('sign in their time, the newest first', async () => {
    const keys = await webhookKeys(
      async () => [old, next],
      () => hour(3),
    );
    const at = (n: number) => keys.signing(hour(n));
    expect([0, 1, 2, 3, 4].map(at)).toEqual([
      [old.privateKey],
      [old.privateKey],
      [next.privateKey, old.privateKey],
      [next.privateKey, old.privateKey],
      [next.privateKey],
    ]);
  });

  it('are published before they sign, and after', async () => {
    let now = hour(1);
    const keys = await webhookKeys(
      async () => [old, next],
      () => now,
    );
    const published = () => keys.published().map(({ kid }) => kid);
    expect(published()).toEqual(['next', 'old']);
    now = hour(4);
    expect(published()).toEqual(['next', 'old']);
    now = hour(5);
    expect(published()).toEqual(['next']);
  });

  it('cannot tell what they signed once one of them is destroyed', async () => {
    const gone = { ...old, privateKey: undefined };
    const keys = await webhookKeys(
      async () => [gone, next],
      () => hour(6),
    );
    expect(keys.signing(hour(1))).toBeUndefined();
    expect(keys.signing(hour(3))).toBeUndefined();
    expect(keys.signing(hour(4))).toEqual([next.privateKey]);
  });
});

it('a public key is named by its thumbprint, as in RFC 8037, appendix A.3', () => {
  const x = Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url');
  expect(publicJwk(`whpk_${x.toString('base64')}`)).toEqual({
    kty: 'OKP',
    crv: 'Ed25519',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    alg: 'EdDSA',
    use: 'sig',
  });
});

function key(kid: string, times: Partial<WebhookKey>): WebhookKey {
  const pair = keyPair(newSigningKey());
  const open = { signsUntil: undefined, publishedUntil: undefined };
  return { kid, ...pair, signsFrom: hour(0), ...open, ...times };
}

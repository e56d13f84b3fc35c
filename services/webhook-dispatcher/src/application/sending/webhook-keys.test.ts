import { describe, expect, it } from '@jest/globals';
import {
  keyPair,
  newSigningKey,
  signatureHeaders,
  verify,
  WebhookVerificationError,
} from '@junction/webhook-signing';
import { inTime, RELOAD_MS } from '../../domain/webhook-key/rotation.js';
import { publicJwk, type WebhookKey, type WebhookKeys, webhookKeys } from './webhook-keys.js';

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

it('a rotation is noticed by no receiver that asks once a day, nor for a day by one that never asks', async () => {
  const { signsFrom, ...ends } = inTime(hour(5));
  const first = key('first', {});
  const next = key('next', { signsFrom });
  let nowMs = hour(0).getTime();
  const now = () => new Date(nowMs);
  const load = async () => (now() < hour(5) ? [first] : [{ ...first, ...ends }, next]);
  const [quick, slow] = [await webhookKeys(load, now), await webhookKeys(load, now)];
  const trusted = (keys: WebhookKeys) => keys.published().map(({ publicKey }) => publicKey);
  const byHand = trusted(quick);
  let askedDaily = byHand;
  for (let n = 0; n <= 4 * 24; n++) {
    await quick.reload();
    if (n % 24 === 0) askedDaily = trusted(slow);
    for (const signing of [quick, slow]) {
      expect(outcome(signing, askedDaily, now())).toBe('verified');
      if (n < 5 + 48) expect(outcome(signing, byHand, now())).toBe('verified');
    }
    // The slow replica hears of a rotation a whole round later.
    nowMs += RELOAD_MS;
    await slow.reload();
    nowMs = hour(n + 1).getTime();
  }
  expect(trusted(quick)).toEqual([next.publicKey]);
  expect(outcome(quick, byHand, now())).toBe('no_matching_signature');
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

/**
 * Returns how a receiver that trusts these keys judges a request that is signed now: `verified`, or the code of the
 * error.
 */
function outcome(keys: WebhookKeys, publicKeys: readonly string[], now: Date): string {
  const about = { user_id: 'u', data: {}, timestamp: 't', webhook_id: 'wh_1' };
  const body = Buffer.from(JSON.stringify({ event_type: 'draft.created', ...about }));
  const attempt = { body, keys: [], messageId: 'msg_1', timestamp: now };
  const headers = signatureHeaders({ ...attempt, privateKeys: keys.signing(now) });
  try {
    verify(body, headers, publicKeys, { now, webhookId: 'wh_1' });
    return 'verified';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}

function key(kid: string, times: Partial<WebhookKey>): WebhookKey {
  const pair = keyPair(newSigningKey());
  const open = { signsUntil: undefined, publishedUntil: undefined };
  return { kid, ...pair, signsFrom: hour(0), ...open, ...times };
}

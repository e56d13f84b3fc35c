import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { newSecret, signingKeys } from './secret.js';
import { signatureHeaders } from './sign.js';
import { verifyServiceSignature, verifyStandardWebhook } from './verify.js';

const NOW = new Date('2026-01-02T03:04:05Z');
const body = Buffer.from('{"event_type":"draft.created"}');
const secret = newSecret();

describe('X-Service-Signature', () => {
  const header = signed()['X-Service-Signature'];

  it('verifies any body under any secret', () => {
    const secrets = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.uint8Array(), secrets, (bytes, secret) => {
        const body = Buffer.from(bytes);
        const header = signed({ body, keys: [signingKeys(secret)] })['X-Service-Signature'];
        expect(verifyServiceSignature(body, header, secret)).toBe(true);
        expect(
          verifyServiceSignature(Buffer.concat([body, body, body, Buffer.of(0)]), header, secret),
        ).toBe(false);
      }),
    );
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one without its prefix', header?.slice('sha256='.length)],
    ['one in upper case', header?.toUpperCase()],
    ['one that is cut', header?.slice(0, -1)],
    ['one with something behind it', `${header}0`],
    ['two in one', `${header}, ${header}`],
    ['another', `sha256=${'0'.repeat(64)}`],
  ])('is refused: %s', (_, wrong) => {
    expect(verifyServiceSignature(body, wrong, secret)).toBe(false);
  });

  it('is refused under another secret', () => {
    expect(verifyServiceSignature(body, header, newSecret())).toBe(false);
  });
});

describe('the headers of Standard Webhooks', () => {
  it('verify, with one secret and while a rotation lasts', () => {
    expect(verify(signed())).toBe(true);
    expect(verify(signed({ keys: [newSecret(), secret].map(signingKeys) }))).toBe(true);
  });

  it('verify when the standardwebhooks library wrote them', () => {
    const webhookSignature = new Webhook(secret).sign('msg_1', NOW, body);
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW.getTime() / 1_000),
      'webhook-signature': webhookSignature,
    };
    expect(verify(headers)).toBe(true);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('need %s', (name) => {
    expect(verify({ ...signed(), [name]: undefined })).toBe(false);
    expect(verify({ ...signed(), [name]: [signed()[name] ?? '', 'twice'] })).toBe(false);
    expect(verify({ ...signed(), [name]: 'v1,other' })).toBe(false);
  });

  it('bind id and time: neither can be changed', () => {
    expect(verify({ ...signed(), 'webhook-id': 'msg_2' })).toBe(false);
    expect(verify({ ...signed(), 'webhook-timestamp': String(NOW.getTime() / 1_000 + 1) })).toBe(
      false,
    );
  });

  it('are worthless five minutes away from their time', () => {
    const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

    expect(verify(signed({ timestamp: at(-300) }))).toBe(true);
    expect(verify(signed({ timestamp: at(-301) }))).toBe(false);
    expect(verify(signed({ timestamp: at(300) }))).toBe(true);
    expect(verify(signed({ timestamp: at(301) }))).toBe(false);
  });

  it('count for a version that is known', () => {
    const other = signed()['webhook-signature']?.replace('v1,', 'v2,');
    expect(verify({ ...signed(), 'webhook-signature': other })).toBe(false);
  });
});

function signed(changes: Partial<Parameters<typeof signatureHeaders>[0]> = {}) {
  const attempt = { body, keys: [signingKeys(secret)], messageId: 'msg_1', timestamp: NOW };
  return signatureHeaders({ ...attempt, ...changes });
}

function verify(headers: Parameters<typeof verifyStandardWebhook>[0]['headers']): boolean {
  return verifyStandardWebhook({ body, headers, secret, now: NOW });
}

import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { keyPair, newSigningKey } from './key-pair.js';
import { newSecret, signingKeys } from './secret.js';
import { signatureHeaders } from './sign.js';

describe('the headers of an attempt', () => {
  it('carry no signature without a secret', () => {
    expect(signatureHeaders({ ...attempt, keys: [] })).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
    });
  });

  it('agree with the published vector of Standard Webhooks', () => {
    const keys = [signingKeys('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')];
    expect(signatureHeaders({ ...attempt, keys })['webhook-signature']).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('sign with the secret exactly as shown, a whsec_ prefix included', () => {
    // printf '%s' '{"test": 2432232314}' | openssl dgst -sha256 -hmac "$secret"
    expect(serviceSignature('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBe(
      'sha256=80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
    );
    expect(serviceSignature('geheim äöü')).toBe(
      'sha256=4811edbf29e369f55270452c4de4896231bc1f297d1e62172f0898776b29b22c',
    );
  });

  it('agree with RFC 4231, test case 2', () => {
    const body = Buffer.from('what do ya want for nothing?');
    expect(signatureHeaders({ ...attempt, body, keys: ['Jefe'].map(signingKeys) })).toMatchObject({
      'X-Service-Signature':
        'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    });
  });

  it('carry the newest secret alone in X-Service-Signature while a rotation lasts', () => {
    const [newest, old] = [newSecret(), newSecret()];
    const headers = signatureHeaders({ ...attempt, keys: [newest, old].map(signingKeys) });

    expect(headers['X-Service-Signature']).toBe(serviceSignature(newest));
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
  });

  it('agree with the published vector of ed25519', () => {
    // Key and signature from the tests of svix-webhooks, which sign with it.
    const { privateKey } = keyPair(
      'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==',
    );
    const headers = signatureHeaders({ ...attempt, keys: [], privateKeys: [privateKey] });
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
    });
  });

  it('carry the signature of each private key before those of the secrets', () => {
    const privateKeys = [newSigningKey(), newSigningKey()].map((key) => keyPair(key).privateKey);
    const keys = [signingKeys('s')];
    const { 'webhook-signature': signatures, ...others } = signatureHeaders({
      ...attempt,
      keys,
      privateKeys,
    });
    expect(signatures?.split(' ').map((one) => one.split(',')[0])).toEqual(['v1a', 'v1a', 'v1']);
    const { 'webhook-signature': symmetric, ...same } = signatureHeaders({ ...attempt, keys });
    expect(others).toEqual(same);
    expect(signatures?.endsWith(` ${symmetric}`)).toBe(true);
  });

  it('are the same bytes in, the same headers out', () => {
    const keys = [signingKeys('s')];
    expect(signatureHeaders({ ...attempt, keys })).toEqual(signatureHeaders({ ...attempt, keys }));
  });
});

describe('a receiver with the standardwebhooks library', () => {
  const now = new Date();

  it('verifies each secret of a rotation', () => {
    const secrets = [newSecret(), newSecret()];
    const headers = signatureHeaders({
      ...attempt,
      keys: secrets.map(signingKeys),
      timestamp: now,
    });

    for (const secret of secrets) {
      expect(new Webhook(secret).verify(attempt.body, headers)).toEqual({ test: 2432232314 });
    }
  });

  it('verifies a plain secret by its bytes', () => {
    const secret = 'geheim äöü';
    const headers = signatureHeaders({ ...attempt, keys: [signingKeys(secret)], timestamp: now });
    const receiver = new Webhook(Buffer.from(secret), { format: 'raw' });

    expect(receiver.verify(attempt.body, headers)).toEqual({ test: 2432232314 });
  });

  it('looks for its own signature among those of ed25519', () => {
    const secret = newSecret();
    const privateKeys = [keyPair(newSigningKey()).privateKey];
    const keys = [signingKeys(secret)];
    const headers = signatureHeaders({ ...attempt, keys, privateKeys, timestamp: now });
    expect(new Webhook(secret).verify(attempt.body, headers)).toEqual({ test: 2432232314 });
  });

  it('refuses another secret and another body', () => {
    const secret = newSecret();
    const headers = signatureHeaders({ ...attempt, keys: [signingKeys(secret)], timestamp: now });

    expect(() => new Webhook(newSecret()).verify(attempt.body, headers)).toThrow(/signature/i);
    expect(() => new Webhook(secret).verify('{"test":2}', headers)).toThrow(/signature/i);
  });
});

const attempt = {
  body: Buffer.from('{"test": 2432232314}'),
  messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: new Date(1_614_265_330_999),
};

function serviceSignature(secret: string): string | undefined {
  return signatureHeaders({ ...attempt, keys: [secret].map(signingKeys) })['X-Service-Signature'];
}

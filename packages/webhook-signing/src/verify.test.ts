import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { keyPair, newSigningKey } from './key-pair.js';
import { newSecret, signingKeys } from './secret.js';
import { signatureHeaders } from './sign.js';
import { WebhookVerificationError } from './verification-error.js';
import { type VerifyOptions, verify, verifyServiceSignature } from './verify.js';

const NOW = new Date('2026-01-02T03:04:05Z');
const event = {
  event_type: 'draft.created',
  user_id: '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d',
  data: { draft_id: 'ä' },
  timestamp: '2026-01-02T03:04:05.678Z',
  webhook_id: 'wh_1',
};
const body = Buffer.from(JSON.stringify(event));
const secret = newSecret();
const pair = keyPair(newSigningKey());
const own = { webhookId: 'wh_1' };

const OTHER = `sha256=${'0'.repeat(64)}`;

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
    ['two in one without a comma', `${header} ${header}`],
    ['another', OTHER],
    ['two others', `${OTHER}, ${OTHER}`],
  ])('is refused: %s', (_, wrong) => {
    expect(verifyServiceSignature(body, wrong, secret)).toBe(false);
  });

  it.each([`${header}, ${OTHER}`, `${OTHER},${header}`])(
    'may be one of two that a proxy has joined: %s',
    (joined) => {
      expect(verifyServiceSignature(body, joined, secret)).toBe(true);
    },
  );

  it('is refused under another secret', () => {
    expect(verifyServiceSignature(body, header, newSecret())).toBe(false);
  });
});

describe('a webhook request', () => {
  it('gives its event, from text and from bytes', () => {
    expect(verify(body, signed(), secret, { now: NOW })).toEqual(event);
    expect(verify(body.toString(), signed(), secret, { now: NOW })).toEqual(event);
    expect(verify(new Uint8Array(body), signed(), secret, { now: NOW })).toEqual(event);
  });

  it('has its headers in a fetch Headers, or in an object whatever their case', () => {
    const upper = Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]);
    const forms = [new Headers(signed()), Object.fromEntries(upper) as Record<string, string>];
    for (const headers of forms) {
      expect(verify(body, headers, secret, { now: NOW })).toEqual(event);
    }
  });

  it('verifies by one of several signatures that a proxy has joined', () => {
    const [right, wrong] = [signed(), signed({ keys: [newSecret()].map(signingKeys) })].map(
      (headers) => headers['webhook-signature'],
    );
    for (const joined of [`${wrong}, ${right}`, `${right},${wrong}`]) {
      expect(problem({ ...signed(), 'webhook-signature': joined })).toBe('none');
    }
    const none = { ...signed(), 'webhook-signature': `${wrong},${wrong}` };
    expect(problem(none)).toBe('no_matching_signature');
  });

  it('verifies with any of several secrets, and while the sender rotates them', () => {
    expect(problem(signed(), { keys: [newSecret(), secret] })).toBe('none');
    expect(problem(signed({ keys: [newSecret(), secret].map(signingKeys) }))).toBe('none');
    expect(problem(signed(), { keys: [newSecret(), newSecret()] })).toBe('no_matching_signature');
  });

  it('verifies when the standardwebhooks library signed it', () => {
    const headers = {
      ...signed(),
      'webhook-signature': new Webhook(secret).sign('msg_1', NOW, body),
    };
    expect(problem(headers)).toBe('none');
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('needs %s, once', (name) => {
    const value = signed()[name] ?? '';
    expect(problem({ ...signed(), [name]: undefined })).toBe('missing_header');
    expect(problem({ ...signed(), [name]: '' })).toBe('missing_header');
    expect(problem({ ...signed(), [name]: [value, value] })).toBe('missing_header');
    expect(problem({ ...signed(), [name.toUpperCase()]: value })).toBe('missing_header');
    expect(problem({ ...signed(), [name]: [value] })).toBe('none');
  });

  it('binds id, time and body: none can be changed', () => {
    const changed = { ...signed(), 'webhook-id': 'msg_2' };
    const later = { ...signed(), 'webhook-timestamp': String(NOW.getTime() / 1_000 + 1) };
    expect(problem(changed)).toBe('no_matching_signature');
    expect(problem(later)).toBe('no_matching_signature');
    expect(problem(signed(), { body: `${body.toString()} ` })).toBe('no_matching_signature');
  });

  it('is worthless five minutes away from its time, or as far as I say', () => {
    const at = (seconds: number) =>
      signed({ timestamp: new Date(NOW.getTime() + seconds * 1_000) });
    for (const near of [-300, 300]) expect(problem(at(near))).toBe('none');
    for (const far of [-301, 301]) expect(problem(at(far))).toBe('timestamp_outside_tolerance');
    expect(problem(at(-11), { toleranceS: 10 })).toBe('timestamp_outside_tolerance');
    expect(() => verify(body, at(-301), secret, { now: NOW })).toThrow(
      'is 301 s old and may be 300',
    );
    expect(() => verify(body, at(301), secret, { now: NOW })).toThrow('is 301 s ahead and may be');
  });

  it.each(['now', '-1', '1e9', '1767323045.5', '0x1', ''.padEnd(13, '1')])(
    'has a time in seconds, not %j',
    (timestamp) => {
      expect(problem({ ...signed(), 'webhook-timestamp': timestamp })).toBe('invalid_timestamp');
    },
  );

  it('is believed for versions that are known, and for 16 signatures at most', () => {
    const right = signed()['webhook-signature'] ?? '';
    const carrying = (signatures: string) => ({ ...signed(), 'webhook-signature': signatures });
    expect(problem(carrying(right.replace('v1,', 'v2,')))).toBe('no_matching_signature');
    expect(problem(carrying(right.replace('v1,', 'v1a,')))).toBe('no_matching_signature');
    expect(problem(carrying(`v1,AAAA v2,x ${right}`))).toBe('none');
    expect(problem(carrying(`${'v1,AAAA '.repeat(16)}${right}`))).toBe('no_matching_signature');
  });

  it('is refused when what was signed is no event', () => {
    for (const text of ['', 'no JSON', '"text"', '{"event_type":"draft.created"}']) {
      const other = Buffer.from(text);
      expect(problem(signed({ body: other }), { body: other })).toBe('invalid_payload');
    }
  });

  it('is not taken from a parser', () => {
    expect(() => verify(event as never, signed(), secret)).toThrow('The raw body is needed');
  });
});

describe('a request signed with ed25519', () => {
  const asymmetric = signed({ keys: [], privateKeys: [pair.privateKey] });

  it('verifies with the public key, alone and among others', () => {
    expect(problem(asymmetric, { keys: pair.publicKey, ...own })).toBe('none');
    const other = keyPair(newSigningKey()).publicKey;
    expect(problem(asymmetric, { keys: [secret, other, pair.publicKey], ...own })).toBe('none');
    expect(problem(asymmetric, { keys: other, ...own })).toBe('no_matching_signature');
    expect(problem(asymmetric, { keys: secret })).toBe('no_matching_signature');
    expect(problem(signed(), { keys: [secret, other], ...own })).toBe('none');
  });

  it('verifies with each key of a rotation, and with the secret', () => {
    const next = keyPair(newSigningKey());
    const privateKeys = [next.privateKey, pair.privateKey];
    const headers = signed({ privateKeys });
    for (const keys of [next.publicKey, pair.publicKey, secret]) {
      expect(problem(headers, { keys, ...own })).toBe('none');
    }
  });

  it('is refused when anything was changed', () => {
    const keys = pair.publicKey;
    const changed = { ...asymmetric, 'webhook-id': 'msg_2' };
    const asMac = { ...asymmetric };
    asMac['webhook-signature'] = asymmetric['webhook-signature']?.replace('v1a,', 'v1,') ?? '';
    expect(problem(changed, { keys, ...own })).toBe('no_matching_signature');
    expect(problem(asMac, { keys, ...own })).toBe('no_matching_signature');
    expect(problem(asymmetric, { keys, ...own, body: '{}' })).toBe('no_matching_signature');
    for (const wrong of ['v1a,', 'v1a,AAAA', 'v1a,!']) {
      const headers = { ...asymmetric, 'webhook-signature': wrong };
      expect(problem(headers, { keys, ...own })).toBe('no_matching_signature');
    }
  });

  it('has to be for a webhook of the receiver: anybody may have one that leads here', () => {
    const keys = pair.publicKey;
    expect(problem(asymmetric, { keys, webhookId: ['wh_0', 'wh_1'] })).toBe('none');
    expect(problem(asymmetric, { keys, webhookId: 'wh_0' })).toBe('wrong_webhook');
    expect(problem(asymmetric, { keys, webhookId: 'wh_10' })).toBe('wrong_webhook');
    expect(() => verify(body, asymmetric, keys, { now: NOW })).toThrow(
      'say in options.webhookId which one is yours',
    );
  });
});

describe('keys that can verify nothing', () => {
  it.each([
    ['none', [], 'No key to verify with'],
    ['an empty secret', '', 'A secret is 1 to 256 bytes'],
    ['half a secret', secret.slice(0, -1), 'base64 behind whsec_'],
    ['half a public key', pair.publicKey.slice(0, -1), 'whpk_ and the base64 of 32 bytes'],
    ['a private key', newSigningKey(), 'Verify with its whpk_ key'],
  ])('are a mistake of the receiver, not of the request: %s', (_, keys, message) => {
    const attempt = () => verify(body, signed(), keys, own);
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(message);
  });

  it('are not told in the error', () => {
    const secretPart = secret.slice('whsec_'.length, -1);
    expect(() => verify(body, signed(), `whsec_${secretPart}`)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secretPart) }),
    );
  });
});

function signed(changes: Partial<Parameters<typeof signatureHeaders>[0]> = {}) {
  const attempt = { body, keys: [signingKeys(secret)], messageId: 'msg_1', timestamp: NOW };
  return signatureHeaders({ ...attempt, ...changes });
}

type Given = VerifyOptions & {
  readonly keys?: Parameters<typeof verify>[2];
  readonly body?: string | Buffer;
};

/** The code of what `verify` throws. */
function problem(
  headers: Parameters<typeof verify>[1],
  { keys = secret, body: given = body, ...options }: Given = {},
): string {
  try {
    verify(given, headers, keys, { now: NOW, ...options });
    return 'none';
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    expect(error.status).toBe(401);
    return error.code;
  }
}

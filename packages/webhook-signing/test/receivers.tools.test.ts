import { execFile, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyPair, newSecret, newSigningKey, signatureHeaders, signingKeys } from '../src/index.js';
import {
  buildReceivers,
  FOLDER,
  file,
  NAMES,
  removeBuilt,
  type Started,
  startReceiver,
} from './receivers.js';

const BYTES_MAX = 512 * 1_024;
/** Python's own library has no ed25519. */
const WITH_PUBLIC_KEYS = NAMES.filter((name) => name !== 'receive.py');

it.each(['python3', 'go', 'php', 'ruby', 'openssl', 'curl'])(
  '%s is installed, as CONTRIBUTING.md asks',
  (program) => expect(spawnSync(program, ['--version']).error).toBeUndefined(),
);

beforeAll(buildReceivers);
afterAll(removeBuilt);

it('every receiver in the folder is run', () => {
  const found = readdirSync(FOLDER).filter((name) => name.startsWith('receive.'));
  expect(found.toSorted()).toEqual(NAMES.toSorted());
});

describe.each(NAMES)('%s', (name) => {
  const secret = newSecret();
  let receiver: Started;
  beforeAll(async () => {
    receiver = await startReceiver(name, { WEBHOOK_SECRET: secret });
  });
  afterAll(async () => receiver?.stop());

  it('takes what was signed, whatever its bytes are', async () => {
    expect(await receiver.post(body, signed(secret))).toBe(200);
    const near = new Date(Date.now() - 290_000);
    expect(await receiver.post(body, signed(secret, { timestamp: near }))).toBe(200);
  });

  it('takes one of several signatures', async () => {
    const privateKeys = [keyPair(newSigningKey()).privateKey];
    const keys = [newSecret(), secret].map(signingKeys);
    expect(await receiver.post(body, signed(secret, { keys, privateKeys }))).toBe(200);
  });

  it('takes several signatures that came in headers of their own, or that a proxy has joined', async () => {
    const { 'webhook-signature': right = '', ...others } = signed(secret);
    const { 'webhook-signature': wrong = '' } = signed(newSecret());
    for (const signature of [
      [wrong, right],
      [right, wrong],
    ]) {
      for (const sent of [signature, signature.join(', '), signature.join(',')]) {
        expect(await receiver.post(body, { ...others, 'webhook-signature': sent })).toBe(200);
      }
    }
    const none = `${wrong}, ${wrong}`;
    expect(await receiver.post(body, { ...others, 'webhook-signature': none })).toBe(401);
  });

  it('takes a request in chunks', async () => {
    expect(await receiver.postInChunks(body, signed(secret))).toBe(200);
    const other = Buffer.concat([body, Buffer.from(' ')]);
    expect(await receiver.postInChunks(other, signed(secret))).toBe(401);
    // A CGI script cannot tell an empty body from one that its server withholds.
    expect([401, 411]).toContain(await receiver.postInChunks(Buffer.alloc(0), signed(secret)));
  });

  it('refuses another body, another id and another time', async () => {
    const headers = signed(secret);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(await receiver.post(Buffer.concat([body, Buffer.from(' ')]), headers)).toBe(401);
    expect(await receiver.post(body, { ...headers, 'webhook-id': 'msg_2' })).toBe(401);
    expect(await receiver.post(body, { ...headers, 'webhook-timestamp': later })).toBe(401);
  });

  it('refuses what is stale, and what comes from the future', async () => {
    for (const aside of [-310_000, 310_000]) {
      const timestamp = new Date(Date.now() + aside);
      expect(await receiver.post(body, signed(secret, { timestamp }))).toBe(401);
    }
  });

  it('refuses another secret, and what nobody signed', async () => {
    expect(await receiver.post(body, signed(newSecret()))).toBe(401);
    expect(await receiver.post(body, signed(secret, { keys: [] }))).toBe(401);
    const { 'webhook-signature': signature = '', ...others } = signed(secret);
    for (const wrong of ['v1,', signature.replace('v1,', 'v2,'), signature.slice(0, -1), '*']) {
      expect(await receiver.post(body, { ...others, 'webhook-signature': wrong })).toBe(401);
    }
    for (const time of ['', 'now', '0', '1e9', '-1', '1'.repeat(30)]) {
      expect(await receiver.post(body, { ...signed(secret), 'webhook-timestamp': time })).toBe(401);
    }
    expect(await receiver.post(body, {})).toBe(401);
  });

  it('refuses more than it would keep, rightly signed as it may be', async () => {
    const large = Buffer.alloc(BYTES_MAX + 1, ' ');
    const headers = signed(secret, { body: large });
    // A receiver that does not read to the end may close the connection before the answer is seen.
    for (const post of [receiver.post, receiver.postInChunks])
      expect([413, 'cut']).toContain(await post(large, headers).catch(() => 'cut'));
    expect(await receiver.post(body, signed(secret))).toBe(200);
  });

  it('takes what send.sh sends', async () => {
    const env = { ...process.env, WEBHOOK_SECRET: secret };
    const sent = await promisify(execFile)('sh', [file('send.sh'), receiver.url], { env });
    expect(sent.stdout).toMatch(/^HTTP\/1\.[01] 200 /);
  });

  it('knows a secret of my own choice, and never has an empty one', async () => {
    const own = await startReceiver(name, { WEBHOOK_SECRET: 'geheim äöü $(x)' });
    try {
      expect(await own.post(body, signed('geheim äöü $(x)'))).toBe(200);
      expect(await own.post(body, signed(secret))).toBe(401);
    } finally {
      await own.stop();
    }
    for (const none of ['', 'whsec_']) {
      expect(await isForgedUnder(name, { WEBHOOK_SECRET: none })).toBe(false);
    }
  });
});

describe.each(WITH_PUBLIC_KEYS)('%s with public keys', (name) => {
  const [old, current, foreign] = [
    keyPair(newSigningKey()),
    keyPair(newSigningKey()),
    keyPair(newSigningKey()),
  ];
  const env = {
    WEBHOOK_PUBLIC_KEYS: `${old.publicKey} ${current.publicKey}`,
    WEBHOOK_ID: 'wh_mine',
  };
  let receiver: Started;
  beforeAll(async () => {
    receiver = await startReceiver(name, env);
  });
  afterAll(async () => receiver?.stop());

  const toMe = bodyTo('wh_mine');
  const by = (pair: typeof old, changes: Partial<Signing> = {}) =>
    signed('a secret of others', { body: toMe, privateKeys: [pair.privateKey], ...changes });

  it('takes what each of them signed, beside a signature by secret or alone', async () => {
    expect(await receiver.post(toMe, by(old))).toBe(200);
    expect(await receiver.post(toMe, by(current, { keys: [] }))).toBe(200);
  });

  it('refuses what another key signed, or for another webhook, or changed since', async () => {
    expect(await receiver.post(toMe, by(foreign))).toBe(401);
    const other = bodyTo('wh_other');
    expect(await receiver.post(other, by(current, { body: other }))).toBe(401);
    expect(await receiver.post(bodyTo('wh_mine', '1'), by(current))).toBe(401);
    expect(await receiver.post(toMe, { ...by(current), 'webhook-id': 'msg_2' })).toBe(401);
    const { 'webhook-signature': signature = '', ...others } = by(current, { keys: [] });
    for (const wrong of ['v1a,', 'v1a,*', signature.slice(0, -4), signature.replace('v1a', 'v1')]) {
      expect(await receiver.post(toMe, { ...others, 'webhook-signature': wrong })).toBe(401);
    }
    expect(await receiver.post(toMe, by(current))).toBe(200);
  });

  it('takes no empty secret beside them, and demands to know which webhook is its own', async () => {
    expect(await isForgedUnder(name, env)).toBe(false);
    const receiver = await startReceiver(name, { ...env, WEBHOOK_ID: '' }).catch(() => undefined);
    const headers = by(current, { body: bodyTo('') });
    expect(await receiver?.post(bodyTo(''), headers)).not.toBe(200);
    await receiver?.stop();
  });
});

/** Body with characters that shells, printf and parsers would change. */
const body = Buffer.concat([
  Buffer.from('{"event_type":"draft.created","user_id":"ä%s\\n\\u0000","data":{}}'),
  Buffer.from('\r\n\n'),
]);

/** The webhook's id comes last, as in what is sent. */
function bodyTo(webhookId: string, more = ''): Buffer {
  return Buffer.from(
    `{"event_type":"draft.created","data":{"a":"ä%s\\n${more}"},"webhook_id":"${webhookId}"}`,
  );
}

type Signing = Parameters<typeof signatureHeaders>[0];

function signed(secret: string, changes: Partial<Signing> = {}) {
  const keys = [signingKeys(secret)];
  const attempt = { body, keys, messageId: 'msg_1', timestamp: new Date() };
  return signatureHeaders({ ...attempt, ...changes });
}

/** Returns whether a receiver accepts what anybody can sign: a request whose MAC has an empty key. */
async function isForgedUnder(name: string, env: Record<string, string>): Promise<boolean> {
  const receiver = await startReceiver(name, env).catch(() => undefined);
  if (receiver === undefined) return false; // The receiver refused to start.
  try {
    const { 'webhook-timestamp': time, ...others } = signed('x');
    const mac = createHmac('sha256', '').update(`msg_1.${time}.`).update(body).digest('base64');
    const headers = {
      ...others,
      'webhook-timestamp': time ?? '',
      'webhook-signature': `v1,${mac}`,
    };
    return (await receiver.post(body, headers)) === 200;
  } finally {
    await receiver.stop();
  }
}

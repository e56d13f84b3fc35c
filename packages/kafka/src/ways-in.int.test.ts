import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startKafka } from '@junction/local-stack';
import { freePort } from '@junction/local-stack/process';
import { certificateAuthority } from '@junction/testing';
import { connectKafka, type KafkaSettings } from './connect-kafka.js';
import { silentLog } from './log.js';

const OAUTH = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule';

/** Requests that reached the authorization server, and whether it refuses them. */
const asked: { readonly authorization: string | undefined; readonly form: URLSearchParams }[] = [];
let isRefusing = false;

const closing: (() => unknown)[] = [];
let folder: string;
let at: Readonly<Record<'tls' | 'oauth' | 'ipv6', string>>;
let files: Readonly<Record<'ca' | 'cert' | 'key' | 'secret', string>>;
let tokenUrl: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'ways-in-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  const authority = await certificateAuthority();
  closing.push(authority.close);
  const [server, client] = [await authority.issue(), await authority.issue({ clientOnly: true })];
  const keystore = written('broker.pem', `${server.key}\n${server.cert}`);
  files = {
    ca: written('ca.pem', authority.certificate),
    cert: written('client.pem', client.cert),
    key: written('client.key', client.key),
    secret: written('secret', 'f3c1'),
  };
  at = {
    tls: `127.0.0.1:${await freePort()}`,
    oauth: `127.0.0.1:${await freePort()}`,
    ipv6: `[::1]:${await freePort()}`,
  };
  tokenUrl = await authorizationServer();
  const kafka = await startKafka({
    dataDir: folder,
    listeners: [
      {
        name: 'tls',
        address: at.tls,
        protocol: 'SSL',
        settings: {
          'ssl.keystore.type': 'PEM',
          'ssl.keystore.location': keystore,
          'ssl.truststore.type': 'PEM',
          'ssl.truststore.location': files.ca,
          'ssl.client.auth': 'required',
        },
      },
      {
        name: 'oauth',
        address: at.oauth,
        protocol: 'SASL_PLAINTEXT',
        settings: {
          'sasl.enabled.mechanisms': 'OAUTHBEARER',
          'oauthbearer.sasl.jaas.config': `${OAUTH} required unsecuredLoginStringClaim_sub="broker";`,
        },
      },
      { name: 'ipv6', address: at.ipv6, protocol: 'PLAINTEXT', settings: {} },
    ],
  });
  closing.push(() => kafka.stop());
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

describe('a broker that wants a certificate of its clients', () => {
  it('admits clients that show one, and no others', async () => {
    const tls = { plaintext: false, caFile: files.ca };
    await expect(isLetIn(at.tls, tls)).rejects.toThrow(/certificate|connection/i);
    const shown = { ...tls, certFile: files.cert, keyFile: files.key };
    await expect(isLetIn(at.tls, shown)).resolves.toBe(true);
  });

  it('is not even contacted with a file that holds no key', async () => {
    const shown = { plaintext: false, certFile: files.cert, keyFile: files.cert };
    await expect(isLetIn(at.tls, shown)).rejects.toThrow(/DECODER|PEM|key/i);
  });
});

describe('a broker that wants OAuth tokens', () => {
  const login = () =>
    ({
      mechanism: 'oauthbearer',
      username: 'writer',
      password: 'f3c1',
      tokenUrl,
      scope: 'kafka',
    }) as const;

  it('admits the client of the authorization server, by the current secret in its file', async () => {
    const file = { sasl: login(), saslPasswordFile: files.secret };
    await expect(isLetIn(at.oauth, file)).resolves.toBe(true);
    expect(asked).toHaveLength(1);
    expect(Object.fromEntries(asked[0]?.form ?? [])).toEqual({
      grant_type: 'client_credentials',
      scope: 'kafka',
    });
    expect(basic()).toBe('writer:f3c1');

    writeFileSync(files.secret, 'a9d2\n');
    await expect(isLetIn(at.oauth, file)).resolves.toBe(true);
    expect(basic()).toBe('writer:a9d2');
  });

  it('refuses a client that the authorization server refuses, without a secret in the error', async () => {
    isRefusing = true;
    const error: unknown = await isLetIn(at.oauth, { sasl: login() }).catch((cause) => cause);
    isRefusing = false;
    expect(String(error)).toMatch(/Error/);
    expect(String(error)).not.toContain('f3c1');
  });
});

it('a broker is reached by its IPv6 address, and by the one that it announces', async () => {
  await expect(isLetIn(at.ipv6, {})).resolves.toBe(true);
});

/** Writes a record through the broker's own address, which it announces to every client. */
async function isLetIn(broker: string, changes: Partial<KafkaSettings>): Promise<boolean> {
  const none = { plaintext: true, caFile: undefined, sasl: undefined };
  const settings = { brokers: [broker], ...none, ...changes };
  const kafka = await connectKafka(settings, 'test', silentLog);
  const topic = { name: 'letters', partitions: 1, retentionMs: -1 };
  await kafka.admin().ensureTopics([topic]);
  const producer = await kafka.producer();
  try {
    await producer.sendBatch([
      { topic: 'letters', key: 'a', headers: {}, value: Buffer.from('b') },
    ]);
    return true;
  } finally {
    await producer.close();
  }
}

const basic = (): string =>
  Buffer.from((asked.at(-1)?.authorization ?? '').replace('Basic ', ''), 'base64').toString();

function written(name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** Starts a server whose tokens have no signature, which a broker accepts that knows no keys. */
async function authorizationServer(): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request));
    asked.push({ authorization: request.headers.authorization, form });
    response.writeHead(isRefusing ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isRefusing ? { error: 'unauthorized_client' } : granted()));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
}

function granted() {
  const nowS = Math.floor(Date.now() / 1_000);
  const parts = [{ alg: 'none' }, { sub: 'writer', iat: nowS, exp: nowS + 600 }];
  const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return { access_token: `${encoded.join('.')}.`, token_type: 'Bearer', expires_in: 600 };
}

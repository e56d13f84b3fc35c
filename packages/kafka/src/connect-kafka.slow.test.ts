import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { allowInKafka, startKafka } from '@junction/local-stack';
import { freePort } from '@junction/local-stack/process';
import { certificateAuthority, eventually } from '@junction/testing';
import { connectKafka } from './connect-kafka.js';
import { silentLog } from './log.js';

const MINUTE = 60_000;
const USER = 'writer';
const TOPIC = 'letters';

let folder: string;
let closing: (() => Promise<unknown>)[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'connect-kafka-'));
  closing = [async () => rmSync(folder, { recursive: true })];
});

afterEach(async () => {
  for (const close of closing.toReversed()) await close();
});

describe('a client whose files change', () => {
  it('has the password that is there now, on its next connection', async () => {
    const kafka = await brokerWithUser('the first');
    const passwordFile = fileWith('the first');
    const sasl = { mechanism: 'plain', username: USER, password: 'the first' } as const;
    const settings = { brokers: [kafka.loginAt], plaintext: true, caFile: undefined, sasl };
    const client = await connectKafka(
      { ...settings, saslPasswordFile: passwordFile.path },
      'test',
      silentLog,
    );
    const producer = await client.producer();
    closing.push(() => producer.close());
    const record = { topic: TOPIC, key: 'a', headers: {}, value: Buffer.from('b') };
    await producer.sendBatch([record]);

    await kafka.restartWith('the second');
    await expect(producer.sendBatch([record])).rejects.toThrow(/authentication failed/i);
    passwordFile.write('the second');
    await eventually(() => producer.sendBatch([record]), { deadlineMs: MINUTE });
  });

  it('trusts the authorities that are there now, and those before while the file cannot be used', async () => {
    const [first, second] = [await certificateAuthority(), await certificateAuthority()];
    closing.push(first.close, second.close);
    const trusts = await serverOf(await second.issue(), first.certificate);
    expect(await trusts(first.certificate)).toBe(false);
    expect(await trusts(second.certificate)).toBe(true);
    for (const unusable of ['', '-----BEGIN CERTIFICATE-----\nAAAA']) {
      expect(await trusts(unusable)).toBe(true);
    }
  });
});

function fileWith(text: string) {
  const file = path.join(folder, 'file');
  const write = (next: string) => writeFileSync(file, `${next}\n`);
  write(text);
  return { path: file, write };
}

/** Starts a broker that one user may write to; another password needs another start. */
async function brokerWithUser(first: string) {
  const [port, loginPort] = [await freePort(), await freePort()];
  const start = (password: string) => {
    const logins = { port: loginPort, passwords: { [USER]: password } };
    return startKafka({ dataDir: folder, port, logins });
  };
  let kafka = await start(first);
  closing.push(() => kafka.stop());
  const settings = { plaintext: true, caFile: undefined, sasl: undefined };
  const all = await connectKafka({ brokers: [kafka.brokers], ...settings }, 'all', silentLog);
  await all.admin().ensureTopics([{ name: TOPIC, partitions: 1, retentionMs: -1 }]);
  const may = { user: USER, type: 'topic', name: TOPIC } as const;
  await allowInKafka(kafka.brokers, [
    { ...may, operation: 'Write' },
    { ...may, operation: 'Describe' },
  ]);
  const restartWith = async (password: string) => {
    await kafka.stop();
    kafka = await start(password);
  };
  return { loginAt: `127.0.0.1:${loginPort}`, restartWith };
}

/**
 * Starts a server with this certificate. The returned function puts authorities into the file of one client, and
 * returns whether the client then speaks to the server.
 */
async function serverOf(certificate: { readonly key: string; readonly cert: string }, ca: string) {
  let spokenTo = () => {};
  const listener = (socket: TLSSocket) =>
    socket
      .on('error', () => {})
      .once('data', () => {
        spokenTo();
        socket.destroy();
      });
  const server = createServer(certificate, listener).on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => server.close());

  const file = fileWith(ca);
  const { port } = server.address() as AddressInfo;
  const settings = { brokers: [`127.0.0.1:${port}`], plaintext: false, sasl: undefined };
  const client = await connectKafka({ ...settings, caFile: file.path }, 'test', silentLog);
  return async (authorities: string): Promise<boolean> => {
    file.write(authorities);
    let isSpokenTo = false;
    spokenTo = () => {
      isSpokenTo = true;
    };
    const answer = client.admin().logBounds(TOPIC);
    await expect(answer).rejects.toBeInstanceOf(Error); // it is no broker
    return isSpokenTo;
  };
}

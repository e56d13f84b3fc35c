import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { deleteData } from '../delete-data.js';
import { freePort } from '../process/ports.js';
import type { PostgresServer } from '../process/running-server.js';
import { startPostgres } from './postgres.js';
import { createServiceDatabase } from './service-database.js';
import { CHECKPOINTS } from './settings.js';

let dataDir: string;
let server: PostgresServer;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'postgres-'));
  chmodSync(dataDir, 0o755);
  server = await startPostgres({ dataDir, ephemeral: true });
});
afterAll(async () => {
  await server?.stop();
  deleteData(dataDir);
});

describe('a packaged Postgres', () => {
  it('is not run by root, whoever starts it', () => {
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    const [, uid] = /^Uid:\s+(\d+)/m.exec(status) ?? [];
    expect(Number(uid)).not.toBe(0);
  });

  it('makes few checkpoints, since each has whole pages logged', async () => {
    const names = Object.keys(CHECKPOINTS).map((name) => `current_setting('${name}') as ${name}`);
    expect(await query(server.adminUrl, `select ${names.join()}`)).toEqual([CHECKPOINTS]);
  });

  it('keeps the password of its superuser in a file for its user alone', () => {
    const file = path.join(dataDir, 'postgres-18', 'admin-password');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(server.adminUrl).toContain(readFileSync(file, 'utf8').trim());
  });

  it('has what was committed after a stop and a start elsewhere', async () => {
    await query(server.adminUrl, 'create table kept (n int)');
    await server.stop();
    server = await startPostgres({ dataDir, ephemeral: true });
    expect(await query(server.adminUrl, 'select * from kept')).toEqual([]);
  });

  it('says whose port it wanted when that is taken', async () => {
    const port = await freePort();
    const other = net.createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const folder = mkdtempSync(path.join(tmpdir(), 'postgres-'));
    try {
      await expect(startPostgres({ dataDir: folder, port })).rejects.toThrow(
        `Port ${port}, meant for Postgres, is in use`,
      );
    } finally {
      other.close();
      deleteData(folder);
    }
  });

  it('keeps its data elsewhere, and says where, below a folder its user cannot enter', async () => {
    const closed = mkdtempSync(path.join(tmpdir(), 'closed-')); // 0700
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const { stop } = await startPostgres({ dataDir: closed, ephemeral: true, say });
    await stop();

    // Only root runs it as somebody else; anybody else may enter a folder of his own.
    const isRoot = process.getuid?.() === 0;
    const [, elsewhere = closed] = /keeps its data in (\S+)\./.exec(said.join('\n')) ?? [];
    expect(elsewhere.startsWith('/var/tmp/')).toBe(isRoot);
    expect(existsSync(path.join(elsewhere, 'postgres-18', 'cluster', 'data'))).toBe(true);
    deleteData(closed);
    expect([closed, elsewhere].filter((folder) => existsSync(folder))).toEqual([]);
  });
});

describe("a service's database", () => {
  const auth = { database: 'auth', role: 'auth', password: "it's /a? password@" };

  it('is made once, and asked for again without harm', async () => {
    const url = await createServiceDatabase(server.adminUrl, auth);
    await query(url, 'create table users (id int)');
    const again = await createServiceDatabase(server.adminUrl, { ...auth, password: 'another' });
    expect(await query(again, 'select * from users')).toEqual([]);
    await expect(query(url, 'select 1')).rejects.toThrow('password authentication failed');
  });

  it('ends a transaction of its role that is forgotten', async () => {
    const url = await createServiceDatabase(server.adminUrl, auth);
    expect(await query(url, 'show idle_in_transaction_session_timeout')).toEqual([
      { idle_in_transaction_session_timeout: '10s' },
    ]);
  });

  it('is closed to the role of another service', async () => {
    await createServiceDatabase(server.adminUrl, auth);
    const other = await createServiceDatabase(server.adminUrl, {
      database: 'webhooks',
      role: 'webhooks',
      password: 'other',
    });
    const intrusion = new URL(other);
    intrusion.pathname = '/auth';
    await expect(query(intrusion.href, 'select 1')).rejects.toThrow('permission denied');
  });
});

async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

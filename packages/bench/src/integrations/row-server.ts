import { once } from 'node:events';
import path from 'node:path';
import type { TokenIssuer } from '@junction/testing';
import pg from 'pg';
import type { Open } from '../closing.js';
import { ended, startChild } from '../dispatch/ask.js';
import { type Vend, vendingAt } from './replica.js';

const PROGRAM = path.join(import.meta.dirname, 'row-server-process.js');

export interface RowServerOptions {
  readonly databaseUrl: string;
  readonly users: readonly string[];
  readonly issuer: TokenIssuer;
  readonly signal: AbortSignal;
}

/** A server that reads one row for each call, in a process of its own, called as a replica is. */
export async function startRowServer(
  { databaseUrl, users, issuer, signal }: RowServerOptions,
  open: Open,
): Promise<Vend> {
  await fill(databaseUrl, users);
  const child = startChild(PROGRAM);
  open(() => ended(child, () => child.kill('SIGTERM')));
  child.send(databaseUrl);
  const [address] = (await once(child, 'message', { signal })) as [string];
  const caller = vendingAt(address, issuer);
  open(async () => caller.close());
  return caller.vend;
}

async function fill(databaseUrl: string, users: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('create table tokens (user_id uuid primary key, token text not null)');
    await client.query(
      `insert into tokens select id, gen_random_uuid()::text from unnest($1::uuid[]) as u (id)`,
      [users],
    );
  } finally {
    await client.end();
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { useBroker, useDatabase } from '@junction/testing';
import { deleteData } from '../delete-data.js';
import { apart } from '../preflight/settings.mjs';
import { freePort } from '../process/ports.js';

const database = useDatabase();
const { brokers, prefix } = useBroker();
const START = path.resolve(import.meta.dirname, '../../bin/start.mjs');

it('npm start ends with the last words of the first service that ends at its start', async () => {
  const dataDir = mkdtempSync('/var/tmp/junction-dying-');
  chmodSync(dataDir, 0o711); // as root, Postgres runs as somebody else
  const port = await freePort();
  const start = spawn(process.execPath, [START], {
    env: { ...apart(process.env, dataDir), AUTH_HTTP_PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  start.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = once(start, 'exit');
  // All ports are checked by the time tables are made, and no service listens yet.
  const other = createServer();
  createInterface({ input: start.stdout }).on('line', (line) => {
    if (line.startsWith('Preparing')) other.listen(port, '127.0.0.1');
  });
  const [code] = await ended;
  other.close();
  deleteData(dataDir);
  expect(errors).toMatch(
    new RegExp(`^auth ended before it was ready [(]exit code 1[)]:\\n.*EADDRINUSE.*${port}`, 'm'),
  );
  expect(code).toBe(1);
});

it('npm start ends with whose database it is, when services are given the same one', async () => {
  const dataDir = mkdtempSync('/var/tmp/junction-same-');
  const { url } = database();
  const start = spawn(process.execPath, [START], {
    env: {
      ...apart(process.env, dataDir),
      AUTH_DATABASE_URL: url,
      INTEGRATIONS_DATABASE_URL: url,
      WEBHOOKS_DATABASE_URL: url,
      KAFKA_BROKERS: brokers.join(','),
      KAFKA_TOPIC_PREFIX: prefix,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(start.stderr), once(start, 'exit')]);
  deleteData(dataDir);
  expect(errors).toMatch(
    /^\S+-migrate .*\n?.*This is the database of \S+\. Name this service's own database/m,
  );
  expect(code).toBe(1);
});

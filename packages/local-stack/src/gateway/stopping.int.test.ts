import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { freePort } from '../process/ports.js';

const GATEWAY = path.resolve(import.meta.dirname, '../../dist/gateway/main.js');
/** Node by itself waits a minute for a request on a connection. */
const GONE_WITHIN_MS = 30_000;

it('ends soon although somebody holds a connection on which nothing was asked', async () => {
  const port = await freePort();
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const upstreams = { AUTH_HTTP_URL: nobody, INTEGRATIONS_HTTP_URL: nobody };
  const env = { ...process.env, ...upstreams, WEBHOOKS_HTTP_URL: nobody };
  const child = spawn(process.execPath, [GATEWAY], {
    env: { ...env, GATEWAY_PORT: String(port), GATEWAY_HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const late = setTimeout(() => child.kill('SIGKILL'), GONE_WITHIN_MS);
  try {
    const exited = once(child, 'exit');
    await once(child.stdout, 'data'); // the gateway listens
    await once(connect(port, '127.0.0.1'), 'connect');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  } finally {
    clearTimeout(late);
  }
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { clientCredentials } from './client-credentials.js';
import { tokenRefusal } from './token-refusal.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

describe('a service token', () => {
  it('is requested as RFC 6749 says', async () => {
    const { token, requests } = await endpoint();
    expect(await token()).toBe('token-1');
    expect(requests).toEqual([
      {
        authorization: `Basic ${Buffer.from('cli%5F1:s%3Acret+x').toString('base64')}`,
        form: { grant_type: 'client_credentials', audience: 'auth', scope: 'credentials:verify' },
      },
    ]);
  });

  it('is requested once, however many callers need it at the same time', async () => {
    const { token, requests } = await endpoint();
    expect(await Promise.all([token(), token(), token()])).toEqual(Array(3).fill('token-1'));
    expect(await token()).toBe('token-1');
    expect(requests).toHaveLength(1);
  });

  it('is renewed before it expires', async () => {
    const { token, clock } = await endpoint();
    await token();
    clock.nowMs += 470_000;
    expect(await token()).toBe('token-1');
    clock.nowMs += 20_000;
    expect(await token()).toBe('token-2');
  });

  it('is renewed when it was refused, once for all callers that it was refused for', async () => {
    const { token } = await endpoint();
    const refused = await token();
    token.refused(refused);
    expect(await token()).toBe('token-2');
    token.refused(refused);
    expect(await token()).toBe('token-2');
  });

  it.each([
    [400, { error: 'invalid_scope', description: 'Not yours.' }],
    [401, { error: 'invalid_client', description: undefined }],
    [503, undefined],
  ])('that is refused with %s says why, and is asked for again', async (status, refusal) => {
    const { token, answer } = await endpoint();
    answer.status = status;
    const error: unknown = await token().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(Error);
    expect(tokenRefusal(error)).toEqual(refusal);
    expect(String(error)).not.toContain('cret');
    answer.status = 200;
    expect(await token()).toBe('token-2');
  });
});

async function endpoint() {
  const requests: { authorization: string | undefined; form: Record<string, string> }[] = [];
  const answer = { status: 200 };
  const reply = async (req: IncomingMessage, res: ServerResponse) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const form = Object.fromEntries(new URLSearchParams(body));
    requests.push({ authorization: req.headers.authorization, form });
    const challenge = answer.status === 401 && { 'www-authenticate': 'Basic realm="junction"' };
    res.writeHead(answer.status, { 'content-type': 'application/json', ...challenge });
    res.end(
      JSON.stringify(answer.status === 200 ? granted(requests.length) : BODIES[answer.status]),
    );
  };
  const server = createServer((req, res) => void reply(req, res));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = { nowMs: 0 };
  const token = clientCredentials({
    tokenUrl: `http://127.0.0.1:${port}/oauth/token`,
    clientId: 'cli_1',
    credential: { secret: 's:cret x' },
    audience: 'auth',
    scope: 'credentials:verify',
    now: () => clock.nowMs,
  });
  return { token, requests, clock, answer };
}

const granted = (n: number) => ({
  access_token: `token-${n}`,
  token_type: 'Bearer',
  expires_in: 600,
});

const BODIES: Readonly<Record<number, object>> = {
  400: { error: 'invalid_scope', error_description: 'Not yours.' },
  401: { error: 'invalid_client', error_description: 'Who are you?' },
  503: { title: 'Starting' },
};

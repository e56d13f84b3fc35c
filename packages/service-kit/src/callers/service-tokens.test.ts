import { afterEach, describe, expect, it } from '@jest/globals';
import { closeOpened, serve } from '../../test/loopback.js';
import { serviceTokens } from './service-tokens.js';

afterEach(closeOpened);

describe('a service token', () => {
  it('is asked for as RFC 6749 has it', async () => {
    const { tokens, requests } = await endpoint();
    expect(await tokens()).toBe('token-1');
    expect(requests).toEqual([
      {
        authorization: `Basic ${Buffer.from('cli_1:s%3Acret+x').toString('base64')}`,
        body: 'grant_type=client_credentials&audience=auth&scope=credentials%3Averify',
      },
    ]);
  });

  it('is asked for once, however many need it at the same time', async () => {
    const { tokens, requests } = await endpoint();
    expect(await Promise.all([tokens(), tokens(), tokens()])).toEqual(Array(3).fill('token-1'));
    expect(await tokens()).toBe('token-1');
    expect(requests).toHaveLength(1);
  });

  it('is renewed before it expires', async () => {
    const { tokens, clock } = await endpoint();
    await tokens();
    clock.nowMs += 470_000;
    expect(await tokens()).toBe('token-1');
    clock.nowMs += 20_000;
    expect(await tokens()).toBe('token-2');
  });

  it('is renewed when it was refused, once for all who were refused with it', async () => {
    const { tokens } = await endpoint();
    const refused = await tokens();
    tokens.forget(refused);
    expect(await tokens()).toBe('token-2');
    tokens.forget(refused);
    expect(await tokens()).toBe('token-2');
  });

  it('that cannot be had is an outage, and is tried for again the next time', async () => {
    const { tokens, answer } = await endpoint();
    answer.status = 401;
    await expect(tokens()).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'service_token_unavailable',
      message: expect.not.stringContaining('cret'),
    });
    answer.status = 200;
    expect(await tokens()).toBe('token-2');
  });
});

async function endpoint() {
  const requests: { authorization: string | undefined; body: string }[] = [];
  const answer = { status: 200 };
  const tokenUrl = await serve((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    req.on('end', () => {
      requests.push({ authorization: req.headers.authorization, body });
      res.writeHead(answer.status, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ access_token: `token-${requests.length}`, expires_in: 600 }));
    });
  });
  const clock = { nowMs: 0 };
  const tokens = serviceTokens({
    tokenUrl,
    clientId: 'cli_1',
    clientSecret: 's:cret x',
    audience: 'auth',
    scope: 'credentials:verify',
    now: () => clock.nowMs,
  });
  return { tokens, requests, clock, answer };
}

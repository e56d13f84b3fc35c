import { describe, expect, it } from '@jest/globals';
import { mask } from './mask.js';

const JWT = 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl-_x';

describe('the last filter', () => {
  it.each([
    ['an API key', 'key jn_live_01HX_c2VjcmV0_9f3a refused', 'c2VjcmV0'],
    ['an API key in capitals', 'JN_LIVE_01HX_c2VjcmV0_9f3a', 'c2VjcmV0'],
    ['a refresh token of ours', 'cookie __Secure-jn_rt=jn_rt_c2VjcmV0-_x', 'c2VjcmV0'],
    ['a webhook secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/=', 'MfKQ9r8'],
    ['a JWT', `token ${JWT} expired`, 'eyJzdWIi'],
    ['a JWT without its signature', JWT.slice(0, 60), 'hbGci'],
    ['a bearer token', 'authorization: Bearer ya29.a0AfH6SMB-x_y~z+/==', 'a0AfH6'],
    ['a bearer token, spelled and spaced otherwise', 'BEARER   abc123def', 'abc123'],
    ['a basic credential', 'Basic Y2xpZW50OnNlY3JldA==', 'Y2xpZW50'],
    ['a code in a query', '/callback?code=4/0AX4XfWh&x=1', '0AX4'],
    ['a code in a doubly encoded query', '/login?next=%2Fcb%3Fcode%3D4abc', '4abc'],
    ['an access token in a form', 'grant=x&access_token=ya29abc&y=1', 'ya29abc'],
    ['a refresh token', 'refresh_token=1//0gabc', '0gabc'],
    ['a client secret', 'client_secret=GOCSPX-abc', 'GOCSPX'],
    ['a verifier', 'code_verifier=dBjftJeZ4CVP', 'dBjft'],
    ['a token in JSON', '{"access_token":"opaque123","token_type":"x"}', 'opaque123'],
    [
      'a token in JSON in a string',
      String.raw`"body: {\"refresh_token\": \"opaque\u0031\"}"`,
      'opaque',
    ],
    ['a password in JSON with quotes in it', String.raw`{"password":"hun\"ter2"}`, 'ter2'],
    ['a database password', 'connect postgres://svc:hunter2@db:5432/auth failed', 'hunter2'],
    ['a database password with an at in it', 'postgres://svc:hun@ter2@db/auth', 'ter2'],
  ])('hides %s', (_, line, secret) => {
    expect(line).toContain(secret);
    expect(mask(line)).not.toContain(secret);
    expect(mask(line)).toContain('[masked]');
  });

  it('leaves the rest of a line alone', () => {
    const line =
      '{"level":"info","code":"invalid_request","route":"/api/webhooks/:id","msg":"GET https://db:5432/x"}';
    expect(mask(line)).toBe(line);
  });

  it('keeps a line of JSON readable as JSON', () => {
    const line = JSON.stringify({
      msg: `code=abc token=def ${JWT} postgres://a:b@c {"password":"p\\"q"}`,
      err: { message: 'Bearer x', stack: 'Error: Bearer x\n    at y' },
    });
    expect(JSON.parse(mask(line))).toMatchObject({
      err: { stack: expect.stringContaining('at y') },
    });
  });

  it('takes no longer for a line made to be slow than for its length', () => {
    const hostile = ['code', 'postgres://a:', 'eyJ', '"password":"\\', 'token_', 'Bearer  ']
      .map((part) => part.repeat(20_000))
      .join('');
    // Processor time is measured, because the machine may be busy with something else meanwhile.
    const before = process.cpuUsage();
    mask(hostile);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

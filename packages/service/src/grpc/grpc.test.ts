import { connect } from 'node:net';
import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { echoService } from '../../test/echo.js';
import { openEcho } from '../../test/echo-server.js';
import { closeOpened, until } from '../../test/loopback.js';

let echo: Awaited<ReturnType<typeof openEcho>>;
beforeAll(async () => {
  echo = await openEcho();
});
afterAll(closeOpened);

/** Returns the server of the cases without settings of their own, and without a look at what it has counted. */
const shared = () => echo;

describe('a method', () => {
  it('answers a service whose token has its scope, and knows who that is', async () => {
    const { call } = shared();
    expect(await call('say', 'hello')).toEqual({ text: 'hello to cli_1' });
  });

  it.each([undefined, 'Bearer x', 'Basic dTpw', 'Bearer '])('refuses %j', async (authorization) => {
    const { raw } = shared();
    await expect(raw(authorization)).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });

  it('reads a token behind several blanks, as HTTP does', async () => {
    const { raw, serviceToken } = shared();
    expect(await raw(`bearer   ${await serviceToken()}`)).toEqual({ text: 'hello to cli_1' });
  });

  it('refuses two tokens, good as they may be', async () => {
    const { server, serviceToken, refusals } = await openEcho();
    const { path } = echoService.say;
    const authorization = `Bearer ${await serviceToken()}`;
    const call = [...requestOf(path), ['authorization', authorization]] as const;
    const socket = connect(server.port, '127.0.0.1');
    try {
      socket.write(http2Requests([call, [...call, ['authorization', authorization]]]));
      const refused = { method: path, caller: 'unknown', reason: 'no_token' };
      await eventually(async () => expect(await refusals()).toEqual([refused]));
    } finally {
      socket.destroy();
    }
  });

  it('refuses a token without its scope', async () => {
    const { raw, serviceToken } = shared();
    const token = await serviceToken({ scope: 'tokens:read events:publish' });
    await expect(raw(`Bearer ${token}`)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
  });

  it('leaves a trace of whoever it refuses: caller, method and reason', async () => {
    const { raw, serviceToken, userToken, log, refusals } = await openEcho();
    const expired = await serviceToken({ expiresIn: '-1m' });
    const narrow = await serviceToken({ scope: 'tokens:read' });
    const authorizations = [undefined, `Bearer ${await userToken()}`, `Bearer ${expired}`];
    for (const authorization of [...authorizations, `Bearer ${narrow}`]) {
      await expect(raw(authorization)).rejects.toThrow(/UNAUTHENTICATED|PERMISSION_DENIED/);
    }
    const method = echoService.say.path;
    const traces = [
      { method, caller: 'unknown', reason: 'no_token' },
      { method, caller: 'unknown', reason: 'other_audience' },
      { method, caller: 'unknown', reason: 'expired' },
      { method, caller: 'cli_1', reason: 'scope_missing' },
    ];
    expect(await refusals()).toEqual(traces);
    for (const { caller, reason } of traces) {
      expect(log.text()).toContain(`"client_id":"${caller}","reason":"${reason}"`);
    }
    await expect(raw(`Bearer ${expired}`)).rejects.toThrow('has expired');
  });

  it('is closed to everybody as long as no scope opens it', async () => {
    const { raw, serviceToken } = shared();
    const token = `Bearer ${await serviceToken({ scope: 'credentials:verify' })}`;
    await expect(raw(token, 'closed')).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    await expect(raw(undefined, 'closed')).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });

  it('cannot have a scope without existing', async () => {
    await expect(openEcho({ scopes: { sya: 'x' } })).rejects.toThrow('sya');
  });

  it('is unavailable, and not forbidden, while the keys are out of reach', async () => {
    const { call, log, break: breakIt } = await openEcho();
    breakIt();
    await expect(call('say', 'hello')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(log.text()).toContain('"code":"keys_unavailable"');
  });

  it('is unavailable, for a moment, while the database is away', async () => {
    const { raw, serviceToken, log } = shared();
    const answer = raw(`Bearer ${await serviceToken()}`, 'say', 'lose the database');
    await expect(answer).rejects.toMatchObject({ code: status.UNAVAILABLE });
    const error = (await answer.catch((error: unknown) => error)) as ServiceError;
    expect(error.metadata.get('retry-after-s')).toEqual(['1']);
    expect(error.details).not.toContain('db-7');
    expect(log.text()).toContain('connect ECONNREFUSED db-7');
  });

  it('passes its own errors on to its caller', async () => {
    const { call } = shared();
    await expect(call('say', 'missing')).rejects.toMatchObject({
      kind: 'not_found',
      code: 'no_such_text',
      message: 'There is no such text.',
    });
  });

  it('keeps what it did not foresee to itself and the log', async () => {
    const { call, log } = shared();
    await expect(call('say', 'break')).rejects.toMatchObject({ kind: 'internal' });
    expect(log.text()).toContain('"rpc":"/junction.test.v1.EchoService/Say"');
    expect(log.text()).toContain('it broke');
  });

  it('adds up a stream', async () => {
    const { stream, serviceToken } = shared();
    expect(await stream([1, 2, 39], `Bearer ${await serviceToken()}`)).toEqual({ total: 42 });
  });

  it('refuses a stream as it refuses a call', async () => {
    const { stream } = shared();
    await expect(stream([1, 2], undefined)).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });
});

/**
 * Bound of a call in milliseconds. A call that has not reached its handler by then shows nothing, and the next call is
 * tried.
 */
const BOUND_MS = 200;

describe('limits', () => {
  it('end a call of a client that set no deadline, and tell the handler', async () => {
    const { raw, serviceToken, aborted } = await openEcho({ unaryBoundMs: BOUND_MS });
    const token = `Bearer ${await serviceToken()}`;
    await eventually(async () => {
      const answer = raw(token, 'say', 'wait', Number.POSITIVE_INFINITY);
      await expect(answer).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
      expect(aborted).toContain('wait');
    });
  });

  it("end a call at its client's deadline", async () => {
    const { call, aborted } = await openEcho();
    await eventually(async () => {
      const answer = call('say', 'wait', { deadlineMs: BOUND_MS });
      await expect(answer).rejects.toMatchObject({
        kind: 'unavailable',
        code: 'service_unavailable',
      });
      expect(aborted).toContain('wait');
    });
  });

  it('let no message over 1 MB in', async () => {
    const { raw, serviceToken } = shared();
    const token = `Bearer ${await serviceToken()}`;
    await expect(raw(token, 'say', 'x'.repeat(1_048_600))).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
  });
});

describe('a caller', () => {
  it('gets a fresh token once when auth has changed its keys', async () => {
    const { call, tokens } = await openEcho({ stale: true });
    expect(await call('say', 'again')).toEqual({ text: 'again to cli_1' });
    expect(tokens.issued).toBe(2);
  });

  it('that stays refused has a fault of its own, and its user no 401', async () => {
    const { call, tokens } = await openEcho({ stale: true, alwaysStale: true });
    await expect(call('say', 'again')).rejects.toMatchObject({ kind: 'internal' });
    expect(tokens.issued).toBe(2);
  });

  it('hears at once that nobody listens', async () => {
    const { call, close } = await openEcho();
    await close();
    await expect(call('say', 'anybody?')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('may hang up', async () => {
    const { call, aborted, waiting } = await openEcho();
    const abort = new AbortController();
    const answer = call('say', 'wait', { signal: abort.signal });
    await until(() => waiting.length === 1);
    abort.abort();
    await expect(answer).rejects.toMatchObject({ kind: 'unavailable' });
    await until(() => aborted.length === 1);
  });
});

type Field = readonly [name: string, value: string];

const requestOf = (path: string): readonly Field[] => [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', path],
  [':authority', 'localhost'],
  ['te', 'trailers'],
  ['content-type', 'application/grpc'],
];

/** Requests as a client of another language writes them: that of Node sends no field `authorization` twice. */
const http2Requests = (requests: readonly (readonly Field[])[]): Buffer =>
  Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    http2Frame({ type: 4, flags: 0, stream: 0 }, []),
    // HEADERS with END_HEADERS.
    ...requests.map((fields, index) =>
      http2Frame({ type: 1, flags: 4, stream: 2 * index + 1 }, fields.map(literalField)),
    ),
  ]);

function http2Frame(
  { type, flags, stream }: { type: number; flags: number; stream: number },
  parts: readonly Buffer[],
): Buffer {
  const payload = Buffer.concat(parts);
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A field that is never indexed (RFC 7541, section 6.2.3). */
const literalField = (field: Field): Buffer =>
  Buffer.concat([Buffer.from([0x10]), ...field.map(hpackText)]);

function hpackText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const rest = bytes.length - 127;
  // An integer with a prefix of seven bits (RFC 7541, section 5.1).
  const length = rest < 0 ? [bytes.length] : [127, (rest & 127) | 128, rest >> 7];
  return Buffer.concat([Buffer.from(length), bytes]);
}

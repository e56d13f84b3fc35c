import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AuthServiceService } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { certificateAuthority, eventually, freePort } from '@junction/testing';
import { service as healthService } from 'grpc-health-check';
import { echoService } from '../../test/echo.js';
import { ISSUER, issuer } from '../../test/issuer.js';
import { closeLater, closeOpened, readableLog, until } from '../../test/loopback.js';
import { closeChannel, grpcChannel, unaryCall } from '../callers/grpc-channel.js';
import { remoteKeys, tokenVerifier } from '../callers/token-verifier.js';
import type { GrpcSecurity } from '../process/config/common-environment.js';
import { metrics } from '../process/metrics.js';
import { closeGrpc, drainGrpc, type GrpcServerOptions, grpcServer } from './grpc-server.js';
import { clientStream, unary } from './handlers.js';

afterEach(closeOpened);

describe('a method', () => {
  it('answers a service whose token has its scope, and knows who that is', async () => {
    const { call } = await open();
    expect(await call('say', 'hello')).toEqual({ text: 'hello to cli_1' });
  });

  it('refuses whoever has no token', async () => {
    const { raw } = await open();
    await expect(raw(undefined)).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
      metadata: expect.anything(),
    });
  });

  it.each(['Bearer x', 'Basic dTpw', 'Bearer '])('refuses "%s"', async (authorization) => {
    const { raw } = await open();
    await expect(raw(authorization)).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });

  it('refuses a token without its scope', async () => {
    const { raw, serviceToken } = await open();
    const token = await serviceToken({ scope: 'tokens:read events:publish' });
    await expect(raw(`Bearer ${token}`)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
  });

  it('leaves a trace of whoever it refuses: caller, method and reason', async () => {
    const { raw, serviceToken, userToken, log, refusals } = await open();
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
    const { raw, serviceToken } = await open();
    const token = `Bearer ${await serviceToken({ scope: 'credentials:verify' })}`;
    await expect(raw(token, 'closed')).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    await expect(raw(undefined, 'closed')).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });

  it('cannot have a scope without existing', async () => {
    await expect(open({ scopes: { sya: 'x' } })).rejects.toThrow('sya');
  });

  it('is unavailable, and not forbidden, while the keys are out of reach', async () => {
    const { call, log, break: breakIt } = await open();
    breakIt();
    await expect(call('say', 'hello')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(log.text()).toContain('"code":"keys_unavailable"');
  });

  it('is unavailable, for a moment, while the database is away', async () => {
    const { raw, serviceToken, log } = await open();
    const answer = raw(`Bearer ${await serviceToken()}`, 'say', 'lose the database');
    await expect(answer).rejects.toMatchObject({ code: status.UNAVAILABLE });
    const error = (await answer.catch((error: unknown) => error)) as ServiceError;
    expect(error.metadata.get('retry-after-s')).toEqual(['1']);
    expect(error.details).not.toContain('db-7');
    expect(log.text()).toContain('connect ECONNREFUSED db-7');
  });

  it('passes its own errors on to its caller', async () => {
    const { call } = await open();
    await expect(call('say', 'missing')).rejects.toMatchObject({
      kind: 'not_found',
      code: 'no_such_text',
      message: 'There is no such text.',
    });
  });

  it('keeps what it did not foresee to itself and the log', async () => {
    const { call, log } = await open();
    await expect(call('say', 'break')).rejects.toMatchObject({ kind: 'internal' });
    expect(log.text()).toContain('"rpc":"/junction.test.v1.EchoService/Say"');
    expect(log.text()).toContain('it broke');
  });

  it('adds up a stream', async () => {
    const { stream, serviceToken } = await open();
    expect(await stream([1, 2, 39], `Bearer ${await serviceToken()}`)).toEqual({ total: 42 });
  });

  it('refuses a stream as it refuses a call', async () => {
    const { stream } = await open();
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
    const { raw, serviceToken, aborted } = await open({ unaryBoundMs: BOUND_MS });
    const token = `Bearer ${await serviceToken()}`;
    await eventually(async () => {
      const answer = raw(token, 'say', 'wait');
      await expect(answer).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
      expect(aborted).toContain('wait');
    });
  });

  it("end a call at its client's deadline", async () => {
    const { call, aborted } = await open();
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
    const { raw, serviceToken } = await open();
    const token = `Bearer ${await serviceToken()}`;
    await expect(raw(token, 'say', 'x'.repeat(1_048_600))).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
  });
});

describe('a caller', () => {
  it('gets a fresh token once when auth has changed its keys', async () => {
    const { call, tokens } = await open({ stale: true });
    expect(await call('say', 'again')).toEqual({ text: 'again to cli_1' });
    expect(tokens.issued).toBe(2);
  });

  it('that stays refused has a fault of its own, and its user no 401', async () => {
    const { call, tokens } = await open({ stale: true, alwaysStale: true });
    await expect(call('say', 'again')).rejects.toMatchObject({ kind: 'internal' });
    expect(tokens.issued).toBe(2);
  });

  it('hears at once that nobody listens', async () => {
    const { call, close } = await open();
    await close();
    await expect(call('say', 'anybody?')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('may hang up', async () => {
    const { call, aborted, waiting } = await open();
    const abort = new AbortController();
    const answer = call('say', 'wait', { signal: abort.signal });
    await until(() => waiting.length === 1);
    abort.abort();
    await expect(answer).rejects.toMatchObject({ kind: 'unavailable' });
    await until(() => aborted.length === 1);
  });
});

describe('a gRPC server', () => {
  it('tells anybody that it is healthy', async () => {
    const { client } = await open();
    expect(await checkHealth(client)).toEqual({ status: 'SERVING' });
  });

  it('lets a call in flight finish before it closes', async () => {
    const { call, close, finish, waiting } = await open();
    const answer = call('say', 'wait');
    await until(() => waiting.length === 1);
    const closed = close();
    finish();
    expect(await answer).toEqual({ text: 'wait to cli_1' });
    await closed;
  });

  it('cuts a call that has not ended after four seconds', async () => {
    const { call, close, waiting, aborted } = await open();
    const answer = call('say', 'wait', { deadlineMs: 20_000 });
    await until(() => waiting.length === 1);
    await Promise.all([close(), expect(answer).rejects.toMatchObject({ kind: 'unavailable' })]);
    expect(aborted).toHaveLength(1);
  });

  it('says that it is about to close, and serves on', async () => {
    const { call, client, server } = await open();
    drainGrpc(server);
    expect(await checkHealth(client)).toEqual({ status: 'NOT_SERVING' });
    expect(await call('say', 'hello')).toEqual({ text: 'hello to cli_1' });
  });

  it('sends its clients elsewhere when it closes, without failing a call', async () => {
    const { call, close, another } = await open();
    const second = await another();
    const ask = async () => call('say', 'hello');
    await eventually(async () => {
      await Promise.all(Array.from({ length: 10 }, ask));
      expect(await second.answered()).toBeGreaterThan(0);
    });

    const answers: Promise<unknown>[] = [];
    const loading = new AbortController();
    const load = (async () => {
      for (; !loading.signal.aborted; await setImmediate()) answers.push(ask());
    })();
    await until(() => answers.length > 20);
    await close();
    const before = answers.length;
    await until(() => answers.length > before + 20);
    loading.abort();
    await load;
    const each = await Promise.allSettled(answers);
    expect(each.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it('says what it offers to a service, when it may', async () => {
    const { reflect, serviceToken } = await open({ reflection: true });
    const listed = await reflect(`Bearer ${await serviceToken()}`);
    expect(listed).toContain('junction.auth.v1.AuthService');
    expect(listed).not.toContain('junction.integrations.v1.IntegrationsService');
    await expect(reflect(undefined)).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });

  it('says nothing about what it offers otherwise', async () => {
    const { reflect, serviceToken } = await open();
    await expect(reflect(`Bearer ${await serviceToken()}`)).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
    });
  });
});

describe('a gRPC server with a certificate', () => {
  it('answers who trusts its authority', async () => {
    const { security, caFile } = await certified();
    const { callBy } = await open({ security });
    expect(await callBy({ plaintext: false, caFile })).toEqual({ text: 'hello to cli_1' });
  });

  it.each([
    ['is not believed by who does not', { plaintext: false }],
    ['does not speak in clear', { plaintext: true }],
  ])('%s', async (_, theirs) => {
    const { callBy } = await open({ security: (await certified()).security });
    await expect(callBy(theirs)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('uses a renewed one without a restart', async () => {
    const { security, caFile: before } = await certified();
    const { callBy } = await open({ security, readCertificatesEveryMs: 5 });
    const renewed = await certified();
    const { certFile, keyFile } = security;
    await copyFile(renewed.security.certFile, certFile);
    await copyFile(renewed.security.keyFile, keyFile);
    await eventually(async () => {
      const answer = await callBy({ plaintext: false, caFile: renewed.caFile });
      expect(answer).toEqual({ text: 'hello to cli_1' });
    });
    await expect(callBy({ plaintext: false, caFile: before })).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  it('that asks for certificates lets in who shows one of its authority', async () => {
    const { security, caFile } = await certified();
    const { callBy } = await open({ security: { ...security, caFile, mutual: true } });
    const shown = { ...security, caFile, mutual: true };
    expect(await callBy(shown)).toEqual({ text: 'hello to cli_1' });

    const stranger = { ...(await certified()).security, caFile, mutual: true };
    for (const theirs of [stranger, { plaintext: false, caFile } as const]) {
      await expect(callBy(theirs)).rejects.toMatchObject({ kind: 'unavailable' });
    }
  });

  it('does not open without its certificate', async () => {
    await expect(open({ security: { plaintext: false } })).rejects.toThrow('GRPC_TLS_CERT_FILE');
  });
});

/** Creates a certificate of an authority that no client trusts by default. */
async function certified() {
  const authority = await certificateAuthority();
  closeLater(() => authority.close());
  const folder = await mkdtemp(path.join(tmpdir(), 'junction-tls-'));
  closeLater(() => rm(folder, { recursive: true }));
  const { key, cert } = await authority.issue({ clientToo: true });
  const certFile = path.join(folder, 'tls.crt');
  const keyFile = path.join(folder, 'tls.key');
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  return { security: { plaintext: false, certFile, keyFile } as const, caFile: authority.file };
}

const REFLECTED = { definition: AuthServiceService, implementation: {}, scopes: {} };

interface Setting
  extends Partial<
    Pick<GrpcServerOptions, 'unaryBoundMs' | 'reflection' | 'security' | 'readCertificatesEveryMs'>
  > {
  readonly scopes?: Record<string, string>;
  /** The first token comes from before auth changed its keys; or every one does. */
  readonly stale?: boolean;
  readonly alwaysStale?: boolean;
}

async function open({ scopes, stale = false, alwaysStale = false, ...bounds }: Setting = {}) {
  const auth = await issuer();
  const log = readableLog();
  const aborted: string[] = [];
  const waiting: string[] = [];
  let finish = () => {};

  const say = unary<{ text: string }, { text: string }>(
    log.log,
    async ({ text }, { caller, signal }) => {
      if (text === 'missing')
        throw new AppError({ kind: 'not_found', code: 'no_such_text' }, 'There is no such text.');
      if (text === 'break') throw new Error('it broke');
      if (text === 'lose the database') {
        throw Object.assign(new Error('connect ECONNREFUSED db-7'), { code: 'ECONNREFUSED' });
      }
      if (text === 'wait') {
        waiting.push(text);
        await new Promise<void>((resolve) => {
          finish = resolve;
          signal.addEventListener('abort', () => {
            aborted.push(text);
            resolve();
          });
        });
      }
      return { text: `${text} to ${caller.clientId}` };
    },
  );
  const sum = clientStream<{ n: number }, { total: number }>(log.log, async (requests) => {
    let total = 0;
    for await (const { n } of requests) total += n;
    return { total };
  });

  const measures = metrics('test');
  const options = {
    log: log.log,
    metrics: measures,
    host: '127.0.0.1',
    port: 0,
    security: { plaintext: true },
    verify: tokenVerifier({
      keys: remoteKeys(auth.jwksUrl),
      issuer: ISSUER,
      audience: 'auth',
      kind: 'service',
    }),
    services: [
      ...(bounds.reflection ? [REFLECTED] : []),
      {
        definition: echoService,
        implementation: { say, sum, closed: say },
        scopes: scopes ?? {
          say: 'credentials:verify',
          sum: 'credentials:verify',
        },
      },
    ],
    ...bounds,
  } satisfies GrpcServerOptions;
  const server = await grpcServer(options);
  let open = true;
  const close = async () => {
    if (!open) return;
    open = false;
    await closeGrpc(server);
  };

  const tokens = { issued: 0 };
  let current: string | undefined;
  const source = Object.assign(
    async () => {
      if (current !== undefined) return current;
      tokens.issued += 1;
      const isStale = stale && (alwaysStale || tokens.issued === 1);
      current = await auth.serviceToken(isStale ? { kid: 'k0' } : {});
      return current;
    },
    {
      refused: (token: string) => {
        if (token === current) current = undefined;
      },
    },
  );
  const address = `127.0.0.1:${server.port}`;
  const otherPort = await freePort();
  const channel = grpcChannel({
    address: `ipv4:${address},127.0.0.1:${otherPort}`,
    security: { plaintext: true },
    tokens: source,
    idempotent: [echoService.say],
  });
  const client = new Client(address, credentials.createInsecure());
  closeLater(async () => {
    finish();
    closeChannel(channel);
    client.close();
    await close();
  });

  return {
    ...auth,
    log,
    server,
    /** Starts a second replica, which the channel knows of. */
    async another() {
      const others = metrics('other');
      const other = await grpcServer({ ...options, metrics: others, port: otherPort });
      closeLater(() => closeGrpc(other));
      return {
        async answered() {
          const { values } = await others.grpc.get();
          return values.reduce((sum, { value }) => sum + value, 0);
        },
      };
    },
    /** Returns the labels of each call that was refused. */
    async refusals() {
      const refused = measures.registry.getSingleMetric('junction_grpc_server_refused_calls_total');
      return (await refused?.get())?.values.map(({ labels }) => labels) ?? [];
    },
    aborted,
    waiting,
    finish: () => finish(),
    close,
    tokens,
    client,
    /** Calls with the trust that these settings describe. */
    callBy(security: GrpcSecurity) {
      const channel = grpcChannel({
        address: `localhost:${server.port}`,
        security,
        tokens: source,
      });
      closeLater(async () => closeChannel(channel));
      return unaryCall(channel, echoService.say, { text: 'hello' }, { deadlineMs: 60_000 });
    },
    call: (
      method: 'say' | 'closed',
      text: string,
      options?: { deadlineMs?: number; signal?: AbortSignal },
    ) => unaryCall(channel, echoService[method], { text }, options),
    raw: (authorization: string | undefined, method: 'say' | 'closed' = 'say', text = 'hello') =>
      rawCall(client, authorization, method, text),
    stream: (numbers: readonly number[], authorization: string | undefined) =>
      rawStream(client, numbers, authorization),
    reflect: (authorization: string | undefined) => listServices(client, authorization),
  };
}

const metadataOf = (authorization: string | undefined): Metadata => {
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  return metadata;
};

const rawCall = (
  client: Client,
  authorization: string | undefined,
  method: 'say' | 'closed',
  text: string,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { path, requestSerialize, responseDeserialize } = echoService[method];
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { text },
      metadataOf(authorization),
      (error, answer) => (error ? reject(error) : resolve(answer)),
    );
  });

const rawStream = (
  client: Client,
  numbers: readonly number[],
  authorization: string | undefined,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { path, requestSerialize, responseDeserialize } = echoService.sum;
    const call = client.makeClientStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      metadataOf(authorization),
      (error, answer) => (error ? reject(error) : resolve(answer)),
    );
    for (const n of numbers) call.write({ n });
    call.end();
  });

const checkHealth = (client: Client): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { Check: check } = healthService;
    if (check === undefined) throw new Error('The health service has no Check.');
    client.makeUnaryRequest(
      check.path,
      check.requestSerialize as (value: object) => Buffer,
      check.responseDeserialize,
      { service: '' },
      (error, answer) => (error ? reject(error) : resolve(answer)),
    );
  });

/**
 * Sends `list_services: ""` and returns the answer as text with the names in it: enough of the protocol to read the
 * names.
 */
const listServices = (client: Client, authorization: string | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    const call = client.makeBidiStreamRequest(
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      (bytes: Buffer) => bytes,
      (bytes) => bytes.toString('latin1'),
      metadataOf(authorization),
    );
    call.once('data', (text: string) => {
      resolve(text);
      call.end();
    });
    call.once('error', (error: ServiceError) => reject(error));
    call.write(Buffer.from([0x3a, 0x00]));
  });

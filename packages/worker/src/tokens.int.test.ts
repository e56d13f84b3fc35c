import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type GetAccessTokenRequest,
  type IntegrationsServiceServer,
  IntegrationsServiceService,
  type ReportUnauthorizedRequest,
} from '@junction/contracts';
import { TokenRefusedError } from './token-refused-error.js';
import { type Tokens, tokens } from './tokens.js';

const ADA = { userId: '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d', provider: 'mailbox' };

describe('a token', () => {
  it('is asked for with the service token of the worker, and with all that the request names', async () => {
    const scopes = ['mailbox.readonly'];
    const token = await worker.get({ ...ADA, scopes, minLifetimeS: 60, integrationId: 'con_2' });
    expect(token).toMatchObject({ accessToken: 'token of version 1', integrationId: 'con_1' });
    expect(asked).toEqual([{ ...ADA, scopes, minLifetimeS: 60, integrationId: 'con_2' }]);
    expect(bearers).toEqual([`Bearer service-token-${serviceTokens}`]);
  });

  it('is one call for many who ask at a time, and another call for who asks afterwards', async () => {
    const many = await Promise.all([worker.get(ADA), worker.get({ ...ADA }), worker.get(ADA)]);
    expect(new Set(many.map(({ accessToken }) => accessToken)).size).toBe(1);
    await Promise.all([worker.get(ADA), worker.get({ ...ADA, integrationId: 'con_2' })]);
    expect(asked).toHaveLength(3);
  });

  it('is asked for again while nobody answers, and a refused service token is renewed', async () => {
    refusals.push([status.UNAVAILABLE], [status.UNAVAILABLE], [status.UNAUTHENTICATED]);
    await worker.get(ADA);
    expect(asked).toHaveLength(4);
    expect(new Set(bearers).size).toBe(2);
  });

  it('that is refused says by its code what is missing, and is not asked for again', async () => {
    for (const [code, reason] of [
      [status.NOT_FOUND, 'not_connected'],
      [status.FAILED_PRECONDITION, 'reconnect_required'],
      [status.PERMISSION_DENIED, 'missing_scope'],
    ] as const) {
      refusals.push([code, reason]);
      const refusal: unknown = await worker.get(ADA).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(TokenRefusedError);
      expect(refusal).toMatchObject({ code: reason, message: 'Not this one.' });
    }
    expect(asked).toHaveLength(3);
    refusals.push(...Array.from({ length: 5 }, (): [status] => [status.UNAVAILABLE]));
    await expect(worker.get(ADA)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(asked).toHaveLength(8);
  });
});

describe('work with a token', () => {
  it('is done once more with the next token when the provider answers 401, once', async () => {
    const seen: string[] = [];
    const answer = await worker.withToken(ADA, async ({ accessToken }) => {
      seen.push(accessToken);
      version = 2;
      return new Response('', { status: 401 });
    });
    expect(answer.status).toBe(401);
    expect(seen).toEqual(['token of version 1', 'token of version 2']);
    expect(reported).toEqual([{ ...ADA, credentialVersion: 1, integrationId: 'con_1' }]);
    expect(asked.at(-1)).toMatchObject({ integrationId: 'con_1' });
  });

  it.each([
    ['status', { status: 401 }],
    ['statusCode', { statusCode: 401 }],
    ['response', { response: { status: 401 } }],
  ])('that throws a 401 as %s is done again too', async (_, fields) => {
    const done = worker.withToken(ADA, async ({ credentialVersion }) => {
      version = 2;
      if (credentialVersion === 1) throw Object.assign(new Error('Refused'), fields);
      return 'done';
    });
    await expect(done).resolves.toBe('done');
  });

  it('keeps its first outcome when the provider calls the token good, and when it is no 401', async () => {
    const refused = new Response('not this mailbox', { status: 401 });
    const answer = await worker.withToken(ADA, async () => refused);
    expect(await answer.text()).toBe('not this mailbox');
    expect(reported).toHaveLength(1);
    await expect(worker.withToken(ADA, () => Promise.reject(new Error('mine')))).rejects.toThrow(
      'mine',
    );
    expect(asked).toHaveLength(2);
    expect(reported).toHaveLength(1);
  });

  it('ends with the refusal when the connection has ended', async () => {
    standing = 'revoked';
    const done = worker.withToken(ADA, async () => {
      refusals.push([status.FAILED_PRECONDITION, 'revoked']);
      return { status: 401 };
    });
    await expect(done).rejects.toMatchObject({ name: 'TokenRefusedError', code: 'revoked' });
  });
});

const asked: GetAccessTokenRequest[] = [];
const reported: ReportUnauthorizedRequest[] = [];
const bearers: unknown[] = [];
/** Refusals of the next calls, each with its code; later calls are answered. */
const refusals: [status, string?][] = [];
let version = 1;
let standing = 'active';
let serviceTokens = 0;
let issuer: HttpServer;
let server: Server;
let worker: Tokens;

const implementation: Partial<IntegrationsServiceServer> = {
  getAccessToken(call, callback) {
    asked.push(call.request);
    bearers.push(...call.metadata.get('authorization'));
    const [code, reason] = refusals.shift() ?? [];
    if (code !== undefined) {
      const metadata = new Metadata();
      if (reason !== undefined) metadata.set('error-code', reason);
      callback({ code, details: 'Not this one.', metadata });
    } else {
      const accessToken = `token of version ${version}`;
      const rest = { expiresAt: new Date(), scopes: [], integrationId: 'con_1' };
      callback(null, { accessToken, credentialVersion: version, ...rest });
    }
  },
  reportUnauthorized(call, callback) {
    reported.push(call.request);
    callback(null, { status: standing, credentialVersion: version });
  },
};

beforeAll(async () => {
  issuer = createServer((_, response) => {
    serviceTokens += 1;
    response.setHeader('content-type', 'application/json');
    const answer = { access_token: `service-token-${serviceTokens}`, token_type: 'Bearer' };
    response.end(JSON.stringify({ ...answer, expires_in: 600 }));
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  server = new Server();
  server.addService(IntegrationsServiceService, implementation as IntegrationsServiceServer);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  worker = tokens({
    address: `127.0.0.1:${port}`,
    tokenUrl: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/oauth/token`,
    clientId: 'cli_worker',
    clientSecret: 'secret',
    tls: false,
    deadlineMs: 60_000,
  });
});

beforeEach(() => {
  asked.length = 0;
  reported.length = 0;
  bearers.length = 0;
  version = 1;
  standing = 'active';
});

afterAll(() => {
  worker.close();
  server.forceShutdown();
  issuer.close().closeAllConnections();
});

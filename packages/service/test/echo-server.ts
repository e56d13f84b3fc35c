import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { AuthServiceService } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { freePort } from '@junction/testing';
import { service as healthService } from 'grpc-health-check';
import { remoteKeys, tokenVerifier } from '../src/callers/token-verifier.js';
import { closeChannel, grpcChannel, unaryCall } from '../src/grpc/grpc-channel.js';
import { closeGrpc, type GrpcServerOptions, grpcServer } from '../src/grpc/grpc-server.js';
import { clientStream, unary } from '../src/grpc/handlers.js';
import type { GrpcSecurity } from '../src/process/config/common-environment.js';
import { metrics } from '../src/process/metrics.js';
import { echoService } from './echo.js';
import { ISSUER, issuer } from './issuer.js';
import { closeLater, readableLog } from './loopback.js';

/** Deadline in milliseconds of a call that is not about deadlines. */
const DEADLINE_MS = 60_000;

const inTime = () => ({ deadline: Date.now() + DEADLINE_MS });

const REFLECTED = { definition: AuthServiceService, implementation: {}, scopes: {} };

export interface EchoSetting
  extends Partial<
    Pick<GrpcServerOptions, 'unaryBoundMs' | 'reflection' | 'security' | 'readCertificatesEveryMs'>
  > {
  readonly scopes?: Record<string, string>;
  /** The first token comes from before auth changed its keys; or every one does. */
  readonly stale?: boolean;
  readonly alwaysStale?: boolean;
}

/** Starts a server of the echo service on loopback, with a channel to it that has a good token. */
export async function openEcho({
  scopes,
  stale = false,
  alwaysStale = false,
  ...bounds
}: EchoSetting = {}) {
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
    raw: (
      authorization: string | undefined,
      method: 'say' | 'closed' = 'say',
      text = 'hello',
      deadlineMs = DEADLINE_MS,
    ) => rawCall({ client, authorization, method, text, deadlineMs }),
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

interface RawCall {
  readonly client: Client;
  readonly authorization: string | undefined;
  readonly method: 'say' | 'closed';
  readonly text: string;
  /** Infinity: none. */
  readonly deadlineMs: number;
}

const rawCall = ({ client, authorization, method, text, deadlineMs }: RawCall): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { path, requestSerialize, responseDeserialize } = echoService[method];
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { text },
      metadataOf(authorization),
      { deadline: Date.now() + deadlineMs },
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
      inTime(),
      (error, answer) => (error ? reject(error) : resolve(answer)),
    );
    for (const n of numbers) call.write({ n });
    call.end();
  });

export const checkHealth = (client: Client): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { Check: check } = healthService;
    if (check === undefined) throw new Error('The health service has no Check.');
    client.makeUnaryRequest(
      check.path,
      check.requestSerialize as (value: object) => Buffer,
      check.responseDeserialize,
      { service: '' },
      inTime(),
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
      inTime(),
    );
    call.once('data', (text: string) => {
      resolve(text);
      call.end();
    });
    call.once('error', (error: ServiceError) => reject(error));
    call.write(Buffer.from([0x3a, 0x00]));
  });

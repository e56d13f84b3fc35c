import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { SERVICES, type ServiceName } from '@junction/contracts';
import type { Endpoints } from '@junction/demo';
import type { Caller } from './callers.js';
import { mistakeOf, verdictOf } from './expectations.js';

const PROTO = path.resolve(import.meta.dirname, '../../../../proto/junction');
const DEADLINE_MS = 60_000;

/** A method of `proto/`, at one of the services that have it. */
export interface Method {
  readonly audience: ServiceName;
  /** Path on the wire: `/junction.auth.v1.AuthService/Authenticate`. */
  readonly path: string;
  /** Scope in the comment above the method or above its service; absent: neither names one. */
  readonly scope: string | undefined;
}

export const grpcMethods = (): readonly Method[] =>
  readdirSync(PROTO, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.proto'))
    .flatMap((file) => methodsIn(readFileSync(path.join(PROTO, file), 'utf8')));

const SERVICE = /((?:^\/\/.*\n)*)^service (\w+) \{\n([\s\S]*?)^\}/gm;
const METHOD = /((?:^ {2}\/\/.*\n)*)^ {2}rpc (\w+)\(/gm;
const SCOPE = /Scope: ([a-z]+:[a-z]+)/;

function methodsIn(proto: string): readonly Method[] {
  const [, name = ''] = /^package ([\w.]+);/m.exec(proto) ?? [];
  return [...proto.matchAll(SERVICE)].flatMap(([, about = '', service = '', body = '']) =>
    [...body.matchAll(METHOD)].flatMap(([, comment = '', method = '']) =>
      audiencesOf(name).map((audience) => ({
        audience,
        path: `/${name}.${service}/${method}`,
        scope: (SCOPE.exec(comment) ?? SCOPE.exec(about))?.[1],
      })),
    ),
  );
}

/** Returns the service that has the methods of a package. */
function audiencesOf(name: string): readonly ServiceName[] {
  const [, domain = ''] = name.split('.');
  return SERVICES.filter(
    (one) => one === domain || (one === 'webhook-dispatcher' && IS_ITS.test(domain)),
  );
}

const IS_ITS = /^(?:webhooks|events)$/;

/** Calls each method as each caller. Returns a line for each wrong answer, as the table of HTTP has them. */
export async function wrongCalls(
  endpoints: Endpoints,
  methods: readonly Method[],
  callers: readonly Caller[],
): Promise<readonly string[]> {
  const { auth, integrations, webhooks } = endpoints.grpc;
  const addresses = { auth, integrations, 'webhook-dispatcher': webhooks };
  const lists = await Promise.all(
    SERVICES.map(async (audience) => {
      const client = new Client(addresses[audience], credentials.createInsecure());
      const own = methods.filter((method) => method.audience === audience);
      const calls = own.flatMap((method) =>
        callers.map(async (caller) => wrongCall(client, method, caller)),
      );
      return Promise.all(calls).finally(() => client.close());
    }),
  );
  return lists.flat(2);
}

async function wrongCall(
  client: Client,
  method: Method,
  caller: Caller,
): Promise<readonly string[]> {
  const { audience, path, scope = '' } = method;
  const { authorization = '' } = caller.headers(audience);
  const outcome = await call(client, path, authorization);
  const mistake = mistakeOf(
    outcome,
    verdictOf({ kind: 'service', scope }, caller.shows, undefined),
  );
  return mistake === undefined ? [] : [`${path} of ${audience} · ${caller.name}: ${mistake}`];
}

/** The status of HTTP that means the same. A message that nobody can read is refused with INTERNAL by grpc-js. */
const MEANS: Readonly<Partial<Record<status, number>>> = {
  [status.UNAUTHENTICATED]: 401,
  [status.PERMISSION_DENIED]: 403,
  [status.UNIMPLEMENTED]: 501,
  [status.UNAVAILABLE]: 503,
  [status.DEADLINE_EXCEEDED]: 504,
};

/** No message begins like this, so who is let in changes nothing. */
const UNREADABLE = Buffer.of(0xff);

/** Sends one message, whatever kind of method it is: on the wire they are alike. */
async function call(client: Client, path: string, authorization: string) {
  const metadata = new Metadata();
  if (authorization !== '') metadata.set('authorization', authorization);
  const same = (bytes: Buffer): Buffer => bytes;
  const deadline = Date.now() + DEADLINE_MS;
  return new Promise<{ readonly status: number; readonly code: string | undefined }>((resolve) => {
    const stream = client.makeBidiStreamRequest<Buffer, Buffer>(path, same, same, metadata, {
      deadline,
    });
    stream.on('error', () => undefined); // the status says the same
    stream.on('status', ({ code, metadata: trailers }) => {
      resolve({ status: MEANS[code] ?? 200, code: trailers.get('error-code')[0]?.toString() });
    });
    stream.resume();
    stream.end(UNREADABLE);
  });
}

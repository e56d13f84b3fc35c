import type { Http2Server } from 'node:http2';
import {
  experimental,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation, service as healthService } from 'grpc-health-check';
import type { GrpcSecurity } from '../process/config/common-environment.js';
import type { Logger } from '../process/logging/logger.js';
import type { Metrics } from '../process/metrics.js';
import { type Admission, admit, type VerifyService } from './admission.js';
import { certificateFiles } from './certificate-files.js';
import { boundDuration, observe } from './observation.js';
import { addReflection } from './reflection.js';

export interface GrpcService {
  readonly definition: ServiceDefinition;
  /** Methods left out answer UNIMPLEMENTED. */
  readonly implementation: UntypedServiceImplementation;
  /** Method name → the scope that opens it. A method without one is closed to everybody. */
  readonly scopes: Readonly<Record<string, string>>;
}

export interface GrpcServerOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly host: string;
  /** 0: any free port; the answer's `port` tells which. */
  readonly port: number;
  readonly security: GrpcSecurity;
  /** `tokenVerifier({ audience: '<this service>', kind: 'service', … })`. */
  readonly verify: VerifyService;
  readonly services: readonly GrpcService[];
  /** Any service may ask what this server offers (GRPC_REFLECTION). Default false. */
  readonly reflection?: boolean;
  /** The longest a unary call and a stream may last, whatever the client's deadline says. */
  readonly unaryBoundMs?: number;
  readonly streamBoundMs?: number;
  /** Milliseconds between two reads of the certificate's files. Default ten seconds. */
  readonly readCertificatesEveryMs?: number;
}

export interface GrpcServer {
  readonly port: number;
  readonly server: Server;
  readonly health: HealthImplementation;
}

const MESSAGE_BYTES_MAX = 1_048_576;
const UNARY_BOUND_MS = 30_000;
const STREAM_BOUND_MS = 15 * 60_000;
const DRAIN_MS = 4_000;

const LIMITS = {
  'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
  'grpc.max_concurrent_streams': 1_000,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // A client that lives for ever would never see a new replica.
  'grpc.max_connection_age_ms': 5 * 60_000,
  'grpc.max_connection_age_grace_ms': 30_000,
};

/** Starts the gRPC server, whose methods are closed unless a scope opens them. Health alone needs no caller. */
export async function grpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const { host, port, log, metrics, verify, services, reflection = false } = options;
  const { unaryBoundMs = UNARY_BOUND_MS, streamBoundMs = STREAM_BOUND_MS } = options;
  const admissions = admissionsOf(services, reflection);
  const streams = streamPaths(services);

  const server = new Server({
    ...LIMITS,
    interceptors: [
      observe(log, metrics),
      boundDuration((path) => (streams.has(path) ? streamBoundMs : unaryBoundMs)),
      admit({ log, metrics, admissions, verify }),
    ],
  });
  for (const { definition, implementation } of services) {
    server.addService(definition, implementation);
  }
  const health = new HealthImplementation({ '': 'SERVING' });
  health.addToServer(server);
  if (reflection) addReflection(server, services.map(serviceName));

  const bound = await bind(server, `${host}:${port}`, credentials(options));
  joinAuthorizations(server);
  return { port: bound, server, health };
}

/** Returns the middle part of `/junction.auth.v1.AuthService/Authenticate`. */
const serviceName = ({ definition }: GrpcService): string =>
  Object.values(definition)[0]?.path.split('/')[1] ?? '';

/** Reports NOT_SERVING to health checks before the server closes. Calls are answered as before. */
export const drainGrpc = ({ health }: GrpcServer): void => health.setStatus('', 'NOT_SERVING');

/**
 * Stops accepting, sends GOAWAY (RFC 9113 §6.8: new calls go elsewhere), lets calls in flight finish, and
 * cuts what is left after four seconds.
 */
export async function closeGrpc(grpc: GrpcServer): Promise<void> {
  drainGrpc(grpc);
  const { server } = grpc;
  const cut = setTimeout(() => server.forceShutdown(), DRAIN_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      server.tryShutdown((error) => (error ? reject(error) : resolve()));
    });
  } finally {
    clearTimeout(cut);
  }
}

function admissionsOf(services: readonly GrpcService[], reflected: boolean) {
  const admissions = new Map<string, Admission>();
  for (const { path } of Object.values(healthService)) admissions.set(path, 'anybody');
  if (reflected) {
    for (const version of ['v1', 'v1alpha']) {
      const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
      admissions.set(path, 'any_service');
    }
  }
  for (const { definition, scopes } of services) {
    for (const [method, scope] of Object.entries(scopes)) {
      const path = definition[method]?.path;
      if (path === undefined)
        throw new Error(`A scope is declared for ${method}, which is no method.`);
      admissions.set(path, { scope });
    }
  }
  return admissions;
}

function streamPaths(services: readonly GrpcService[]): ReadonlySet<string> {
  const methods = services.flatMap(({ definition }) => Object.values(definition));
  return new Set(
    methods
      .filter(({ requestStream, responseStream }) => requestStream || responseStream)
      .map(({ path }) => path),
  );
}

function credentials({
  security,
  log,
  readCertificatesEveryMs: everyMs,
}: GrpcServerOptions): ServerCredentials {
  if (security.plaintext) return ServerCredentials.createInsecure();
  const { certFile, keyFile, mutual = false } = security;
  if (certFile === undefined || keyFile === undefined) {
    throw new Error('A gRPC server needs GRPC_TLS_CERT_FILE and GRPC_TLS_KEY_FILE.');
  }
  const onProblem = (error: unknown) =>
    log.warn(
      { err: error },
      'the files of the gRPC certificate are of no use; the one before stays',
    );
  const files = certificateFiles(security, {
    onProblem,
    ...(everyMs !== undefined && { everyMs }),
  });
  // The first is the server's own, the second says whom it believes, whatever grpc-js 1.14 calls them.
  return experimental.createCertificateProviderServerCredentials(
    files,
    mutual ? files : null,
    mutual,
  );
}

const bind = (server: Server, address: string, creds: ServerCredentials): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(address, creds, (error, port) => (error ? reject(error) : resolve(port)));
  });

/**
 * Joins several fields `authorization` of a call, as HTTP joins fields of one name, so that no token is read of them.
 * Node keeps the first and drops the rest without a word, and tells of them only here, below grpc-js.
 */
function joinAuthorizations(server: Server): void {
  const servers: Map<Http2Server, unknown> = server['http2Servers'];
  for (const one of servers.keys()) {
    one.prependListener('stream', (_stream, headers, _flags, ...[raw]: readonly string[][]) => {
      const all = raw?.filter((_, place) => raw[place - 1] === 'authorization' && place % 2 === 1);
      if (all !== undefined && all.length > 1) headers.authorization = all.join(', ');
    });
  }
}

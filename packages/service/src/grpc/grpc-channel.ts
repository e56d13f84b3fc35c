import {
  ChannelCredentials,
  Client,
  experimental,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { withServiceToken } from '@junction/client-credentials';
import type { GrpcSecurity } from '../process/config/common-environment.js';
import { certificateFiles } from './certificate-files.js';
import type { ServiceTokens } from './service-tokens.js';
import { fromGrpcError } from './status.js';

/** Method as ts-proto generates it, as far as a caller needs. */
export interface UnaryMethod<Request, Response> {
  readonly path: string;
  readonly requestStream: false;
  readonly responseStream: false;
  readonly requestSerialize: (value: Request) => Buffer;
  readonly responseDeserialize: (value: Buffer) => Response;
}

export interface GrpcChannelOptions {
  /** `host:port`; `dns:///host:port` spreads calls over all addresses of a name. */
  readonly address: string;
  readonly security: GrpcSecurity;
  /** `serviceTokens(…)` for the service on the other side. */
  readonly tokens: ServiceTokens;
  /** Methods that may be sent again when the connection broke under them. */
  readonly idempotent?: readonly { readonly path: string }[];
}

export interface GrpcChannel {
  readonly client: Client;
  readonly tokens: ServiceTokens;
}

export interface CallOptions {
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

const MESSAGE_BYTES_MAX = 1_048_576;
const DEADLINE_MS = 5_000;
const CONNECT_MAX_MS = 1_000;

/** Creates a connection to one service, opened at the first call. Close it with `closeChannel`. */
export function grpcChannel(options: GrpcChannelOptions): GrpcChannel {
  const { address, security, tokens, idempotent = [] } = options;
  const client = new Client(address, credentials(security), {
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    // The default backs off to two minutes, and a service that restarts is back in seconds.
    'grpc.initial_reconnect_backoff_ms': 200,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.service_config': JSON.stringify(serviceConfig(idempotent)),
    'grpc.service_config_disable_resolution': 1,
  });
  return { client, tokens };
}

/** Connects if it is not connected yet; false when that takes longer than a second. */
export const isConnected = async ({ client }: GrpcChannel): Promise<boolean> =>
  new Promise((resolve) => {
    client.waitForReady(Date.now() + CONNECT_MAX_MS, (error) => resolve(error === undefined));
  });

export const closeChannel = ({ client }: GrpcChannel): void => client.close();

/**
 * Calls a method with our service token and a deadline (5 s). Rejects with AppError: the other service's own error, or
 * `unavailable` when that service could not be reached in time.
 */
export async function unaryCall<Request, Response>(
  channel: GrpcChannel,
  method: UnaryMethod<Request, Response>,
  request: Request,
  { deadlineMs = DEADLINE_MS, signal }: CallOptions = {},
): Promise<Response> {
  const deadline = Date.now() + deadlineMs;
  const call = (token: string) => attempt(channel, method, request, { token, deadline, signal });
  return withServiceToken(channel.tokens, call, isRefusal).catch((error: unknown) => {
    throw translated(error);
  });
}

interface Attempt {
  readonly token: string;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

async function attempt<Request, Response>(
  { client }: GrpcChannel,
  { path, requestSerialize, responseDeserialize }: UnaryMethod<Request, Response>,
  request: Request,
  { token, deadline, signal }: Attempt,
): Promise<Response> {
  signal?.throwIfAborted();
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);

  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      { deadline },
      (error, response) => {
        signal?.removeEventListener('abort', cancel);
        if (error) reject(error);
        else resolve(response as Response);
      },
    );
    const cancel = () => call.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

const translated = (error: unknown): unknown =>
  isServiceError(error) ? fromGrpcError(error) : error;

const isRefusal = (error: unknown): boolean =>
  isServiceError(error) && error.metadata.get('error-code')[0] === 'service_token_refused';

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'metadata' in error && 'details' in error;

function credentials(security: GrpcSecurity): ChannelCredentials {
  if (security.plaintext) return ChannelCredentials.createInsecure();
  const { caFile, mutual = false } = security;
  if (caFile === undefined && !mutual) return ChannelCredentials.createSsl();
  const files = certificateFiles(mutual ? security : { caFile });
  return experimental.createCertificateProviderChannelCredentials(files, mutual ? files : null);
}

function serviceConfig(idempotent: readonly { readonly path: string }[]) {
  const name = idempotent.map(({ path }) => {
    const [, service, method] = path.split('/');
    return { service, method };
  });
  const retryPolicy = {
    maxAttempts: 3,
    initialBackoff: '0.1s',
    maxBackoff: '1s',
    backoffMultiplier: 2,
    retryableStatusCodes: ['UNAVAILABLE'],
  };
  return {
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: name.length > 0 ? [{ name, retryPolicy }] : [],
  };
}

import { readFileSync } from 'node:fs';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { SERVICE_SCOPES } from '@junction/contracts';
import { failureOf, type Place } from './call-failure.js';
import { usage } from './failure.js';
import { AUDIENCES, type ServiceName, type Settings } from './settings.js';
import { tokenSource } from './token.js';

const DEADLINE_MS = 30_000;
const MESSAGE_BYTES_MAX = 1_048_576;

interface Method<Request, Response> {
  readonly path: string;
  readonly requestSerialize: (value: Request) => Buffer;
  readonly responseDeserialize: (value: Buffer) => Response;
}

/** Connection to a service, as one service account. Each failure is thrown as a Failure. */
export interface Connection {
  call<Request, Response>(method: Method<Request, Response>, request: Request): Promise<Response>;

  /** Ends when the service is done, or when the signal aborts. */
  stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): AsyncIterable<Response>;

  close(): void;
}

/** `write`: with a token that may change things; otherwise it could only look. */
export function connect(
  settings: Settings,
  service: ServiceName,
  { write }: { readonly write: boolean },
): Connection {
  const { address } = settings;
  const place: Place = { service, address };
  const scope = write ? SERVICE_SCOPES.writeOps : SERVICE_SCOPES.readOps;
  const token = tokenSource(settings, { audience: AUDIENCES[service], scope });
  const client = new Client(address, channelCredentials(settings), {
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
  });
  const metadata = async () => {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${await token()}`);
    return metadata;
  };
  return {
    call: async (method, request) => unary(client, method, request, await metadata(), place),
    stream: (method, request, signal) => streamed(client, method, request, metadata, signal, place),
    close: () => client.close(),
  };
}

function channelCredentials({ plaintext, caFile, certFile, keyFile }: Settings) {
  if (plaintext) return credentials.createInsecure();
  const isShown = certFile !== undefined && keyFile !== undefined;
  return credentials.createSsl(
    pem('GRPC_TLS_CA_FILE', caFile),
    isShown ? pem('GRPC_TLS_KEY_FILE', keyFile) : null,
    isShown ? pem('GRPC_TLS_CERT_FILE', certFile) : null,
  );
}

function pem(variable: string, file: string | undefined): Buffer | null {
  if (file === undefined) return null;
  try {
    return readFileSync(file);
  } catch {
    throw usage(`${variable} names ${file}, which cannot be read.`);
  }
}

const unary = <Request, Response>(
  client: Client,
  { path, requestSerialize, responseDeserialize }: Method<Request, Response>,
  request: Request,
  metadata: Metadata,
  place: Place,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      { deadline: Date.now() + DEADLINE_MS },
      (error, response) => {
        if (error) reject(failureOf(error, place));
        else resolve(response as Response);
      },
    );
  });

async function* streamed<Request, Response>(
  client: Client,
  { path, requestSerialize, responseDeserialize }: Method<Request, Response>,
  request: Request,
  metadata: () => Promise<Metadata>,
  signal: AbortSignal,
  place: Place,
): AsyncGenerator<Response> {
  const call = client.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    request,
    await metadata(),
  );
  const cancel = () => call.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    for await (const response of call) yield response as Response;
  } catch (error) {
    if (signal.aborted) return;
    throw isServiceError(error) ? failureOf(error, place) : error;
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && 'details' in error;

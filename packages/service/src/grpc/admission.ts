import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from '@grpc/grpc-js';
import { AppError } from '@junction/errors';
import { type TokenFault, tokenFault } from '../errors/token-fault.js';
import type { Logger } from '../process/logging/logger.js';
import type { Metrics } from '../process/metrics.js';
import { reportFailure } from './report-failure.js';
import { toGrpcStatus } from './status.js';

/** Service that makes a call. */
export interface ServiceCaller {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** Checks a token, and returns the client that it names. Throws AppError `unauthenticated` for a bad token. */
export type VerifyService = (
  jwt: string,
) => Promise<Pick<ServiceCaller, 'scopes'> & Partial<ServiceCaller>>;

/** Callers that a method admits: anybody, any service with a token, or a service with this scope. Absent: nobody. */
export type Admission = 'anybody' | 'any_service' | { readonly scope: string };

const callers = new WeakMap<Metadata, ServiceCaller>();

/** Returns the caller of an admitted call. Fails closed: a call that did not pass the admission has no caller. */
export function serviceCallerOf(metadata: Metadata): ServiceCaller {
  const caller = callers.get(metadata);
  if (caller) return caller;
  throw tokenRefused();
}

/** Called once for each refused call. `caller` is the client of a good token, else undefined. */
type Refused = (reason: TokenFault | 'no_token' | 'scope_missing', caller?: string) => void;

interface AdmissionOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly admissions: ReadonlyMap<string, Admission>;
  readonly verify: VerifyService;
}

/**
 * Admits or refuses a call before the first message is read, for every method alike, streaming methods included. Each
 * refusal is logged and counted, with its reason.
 */
export function admit(options: AdmissionOptions): ServerInterceptor {
  const { log, metrics, admissions, verify } = options;
  const count = metrics.meter.counter(
    'junction_grpc_server_refused_calls_total',
    'Calls that were refused for their token, by method, caller and reason.',
    ['method', 'caller', 'reason'],
  );
  return ({ path }, call) => {
    const admission = admissions.get(path);
    if (admission === 'anybody') return new ServerInterceptingCall(call);

    const refused: Refused = (reason, clientId) => {
      const caller = clientId ?? 'unknown';
      count({ method: path, caller, reason });
      log.warn({ rpc: path, client_id: caller, reason }, 'call refused');
    };
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const refuse = (error: unknown) => {
          reportFailure(log, path, error);
          call.sendStatus(toGrpcStatus(error));
        };
        const ask = () => check(metadata, { admission, verify, refused });
        void letIn(metadata, ask, next, refuse);
      })
      .build();
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}

async function letIn(
  metadata: Metadata,
  ask: () => Promise<ServiceCaller>,
  next: (metadata: Metadata) => void,
  refuse: (error: unknown) => void,
): Promise<void> {
  try {
    callers.set(metadata, await ask());
  } catch (error) {
    refuse(error);
    return;
  }
  next(metadata);
}

interface Check {
  readonly admission: Exclude<Admission, 'anybody'> | undefined;
  readonly verify: VerifyService;
  readonly refused: Refused;
}

async function check(
  metadata: Metadata,
  { admission, verify, refused }: Check,
): Promise<ServiceCaller> {
  const { clientId, scopes } = await verified(metadata, verify, refused);
  if (clientId === undefined) {
    refused('invalid_token');
    throw tokenRefused();
  }
  if (admission === 'any_service') return { clientId, scopes };
  if (admission !== undefined && scopes.includes(admission.scope)) return { clientId, scopes };
  refused('scope_missing', clientId);
  throw new AppError(
    'scope_missing',
    admission === undefined
      ? 'No scope opens this method.'
      : `This method needs the scope ${admission.scope}.`,
  );
}

async function verified(metadata: Metadata, verify: VerifyService, refused: Refused) {
  const header = metadata.get('authorization')[0];
  const jwt = typeof header === 'string' ? /^Bearer +([\w.-]+)$/i.exec(header)?.[1] : undefined;
  if (jwt === undefined) {
    refused('no_token');
    throw tokenRefused();
  }
  try {
    return await verify(jwt);
  } catch (cause) {
    const error = AppError.from(cause);
    if (error.kind !== 'unauthenticated') throw cause;
    const fault = tokenFault(error);
    refused(fault);
    throw tokenRefused(fault, cause);
  }
}

const tokenRefused = (fault?: TokenFault, cause?: unknown): AppError =>
  new AppError(
    'service_token_refused',
    fault === 'expired'
      ? 'The service token has expired. Ask auth for a new one.'
      : 'Send a service token for this service as metadata "authorization: Bearer …".',
    { cause },
  );

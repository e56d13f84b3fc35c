import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from '@grpc/grpc-js';
import { AppError } from '@junction/errors';
import type { VerifyToken } from '../../callers/token-verifier.js';
import type { Logger } from '../../process/logging/logger.js';
import { reportFailure } from './report-failure.js';
import { toGrpcStatus } from './status.js';

/** The service behind a call. */
export interface ServiceCaller {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** Who may call a method: anybody, any service with a token, or one with this scope. Absent: nobody. */
export type Admission = 'anybody' | 'any_service' | { readonly scope: string };

const callers = new WeakMap<Metadata, ServiceCaller>();

/** Fails closed: a call that did not pass the admission has no caller. */
export function serviceCallerOf(metadata: Metadata): ServiceCaller {
  const caller = callers.get(metadata);
  if (caller) return caller;
  throw refused();
}

/** Decides before the first message is read, and for every method alike, streaming ones too. */
export const admit =
  (
    log: Logger,
    admissions: ReadonlyMap<string, Admission>,
    verify: VerifyToken,
  ): ServerInterceptor =>
  ({ path }, call) => {
    const admission = admissions.get(path);
    if (admission === 'anybody') return new ServerInterceptingCall(call);

    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const refuse = (error: unknown) => {
          reportFailure(log, path, error);
          call.sendStatus(toGrpcStatus(error));
        };
        void letIn(metadata, () => check(metadata, admission, verify), next, refuse);
      })
      .build();
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };

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

async function check(
  metadata: Metadata,
  admission: Exclude<Admission, 'anybody'> | undefined,
  verify: VerifyToken,
): Promise<ServiceCaller> {
  const { clientId, scopes } = await verified(metadata, verify);
  if (clientId === undefined) throw refused();
  if (admission === 'any_service') return { clientId, scopes };
  if (admission !== undefined && scopes.includes(admission.scope)) return { clientId, scopes };
  throw new AppError(
    'forbidden',
    'scope_missing',
    admission === undefined
      ? 'No scope opens this method.'
      : `This method needs the scope ${admission.scope}.`,
  );
}

async function verified(metadata: Metadata, verify: VerifyToken) {
  const header = metadata.get('authorization')[0];
  const jwt = typeof header === 'string' ? /^Bearer ([\w.-]+)$/i.exec(header)?.[1] : undefined;
  if (jwt === undefined) throw refused();
  try {
    return await verify(jwt);
  } catch (cause) {
    throw AppError.from(cause).kind === 'unauthenticated' ? refused(cause) : cause;
  }
}

const refused = (cause?: unknown): AppError =>
  new AppError(
    'unauthenticated',
    'service_token_refused',
    'Send a service token for this service as metadata "authorization: Bearer …".',
    { cause },
  );

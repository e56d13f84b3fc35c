import { type ServiceError, status } from '@grpc/grpc-js';

/** Codes that Junction refuses a token with; `/docs/errors` says of each what causes it and what to do. */
export type RefusalCode =
  | 'not_connected'
  | 'disconnected'
  | 'revoked'
  | 'reconnect_required'
  | 'missing_scope'
  | 'token_not_renewable'
  | 'unknown_provider'
  | 'user_deleted';

/** There is no such token until somebody does something, mostly the user. Repeating does not help. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';

  constructor(
    /** Newer installations may have more codes. */
    readonly code: RefusalCode | (string & {}),
    message: string,
    options: { readonly cause: ServiceError },
  ) {
    super(message, options);
  }
}

const REFUSALS: readonly status[] = [
  status.NOT_FOUND,
  status.FAILED_PRECONDITION,
  status.PERMISSION_DENIED,
];

/** Returns the refusal that an error of a call is; any other error is returned as it is. */
export function refusalIn(error: unknown): unknown {
  const { code, details, metadata } = error as Partial<ServiceError>;
  const [refusal] = metadata?.get('error-code') ?? [];
  if (code === undefined || !REFUSALS.includes(code) || refusal === undefined) return error;
  return new TokenRefusedError(refusal.toString(), details ?? '', { cause: error as ServiceError });
}

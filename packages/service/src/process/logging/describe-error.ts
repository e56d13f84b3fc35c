import { types } from 'node:util';

const CAUSES_MAX = 5;
const MESSAGE_MAX = 1_000;
const STACK_MAX = 4_000;

export interface ErrorRecord {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: ErrorRecord;
}

/**
 * Describes an error as a log may hold it: name, message, stack and cause. Other properties are left out: pg puts row
 * values into `detail`, HTTP clients whole requests.
 */
export function describeError(error: unknown, depth = 0): ErrorRecord {
  // Node's own errors may come from another realm, where instanceof does not know them.
  if (!(error instanceof Error) && !types.isNativeError(error)) {
    return { type: typeof error, message: 'Not an Error was thrown.' };
  }

  const { name, message, stack, cause } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: name,
    message: message.slice(0, MESSAGE_MAX),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(stack !== undefined && { stack: stack.slice(0, STACK_MAX) }),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: describeError(cause, depth + 1) }),
  };
}

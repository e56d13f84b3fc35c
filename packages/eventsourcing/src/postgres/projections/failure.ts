import { types } from 'node:util';
import { AppError, isOutage } from '@junction/errors';
import { DatabaseError } from 'pg';

/** Error of a rebuild that has lost its lease, or whose checkpoint another process has moved. */
export class FencedError extends Error {
  constructor(name: string) {
    super(`The checkpoint of projection "${name}" was moved by another process.`);
    this.name = new.target.name;
  }
}

/** Error of a rebuild that met an event that its projection cannot handle. */
export class RebuildStoppedError extends Error {
  constructor(
    /** Event that stopped the rebuild. Undefined: it is among the newest events, which were applied together. */
    event: { readonly type: string; readonly position: bigint } | undefined,
    cause: unknown,
  ) {
    const place = event ? `event ${event.position} (${event.type})` : 'one of the newest events';
    super(`stopped at ${place}: ${reasonOf(cause)}`, { cause });
    this.name = new.target.name;
  }
}

const TRANSIENT_KINDS = new Set<string>(['unavailable', 'contended', 'rate_limited']);

/** SQLSTATEs of a schema that is not what the code expects: halfway through a deploy it soon will be. */
const TRANSIENT_SQLSTATE = /^(42P01|42703|42704|42883|3F000|42501)$/;

/**
 * Returns whether the cause is outside of the event: the same event may succeed later, so the error stops no rebuild.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof FencedError || isOutage(error)) return true;
  if (error instanceof AppError) return TRANSIENT_KINDS.has(error.kind);
  return error instanceof DatabaseError && TRANSIENT_SQLSTATE.test(error.code ?? '');
}

/**
 * Returns why an event could not be handled, without personal data. Messages of errors may quote values, so only the
 * kind of the error and its location in the code are named.
 */
export function reasonOf(error: unknown): string {
  // Node's own errors may come from another realm, where instanceof does not know them.
  if (!(error instanceof Error) && !types.isNativeError(error)) return 'something that is no error';
  if (error instanceof DatabaseError) {
    const { code, constraint, column, table } = error;
    const place = { constraint, column, table };
    const places = Object.entries(place).flatMap(([kind, is]) => (is ? `${kind} ${is}` : []));
    return [`Postgres refused the row (SQLSTATE ${code})`, ...places].join(', ');
  }
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  const at = /\bat (?:.*[/\\(])?([\w.-]+:\d+):\d+\)?$/m.exec(error.stack ?? '')?.[1];
  return `${error.name}${code}${at ? ` at ${at}` : ''}`;
}

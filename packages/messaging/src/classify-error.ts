import { AppError } from '@junction/errors';
import { RecordError } from './record-error.js';

/**
 * `infrastructure`: the surroundings failed; the same record may succeed later, so it never counts
 * against it. `record`: the record, or the code that handles it, is at fault.
 */
export type ErrorClass = 'infrastructure' | 'record';

const CAUSES_MAX = 8;

/**
 * SQLSTATEs that speak of the server or of the moment: connection (08), lock not available (55P03),
 * idle or whole transaction timed out (25P03, 25P04), read-only standby (25006), serialization
 * and deadlock (40), resources (53), operator intervention and statement timeout (57), system (58).
 * Then a schema that is not what the code expects (undefined table, column, function or schema, no
 * privilege): halfway through a deploy every record would fail alike. JN001 is a moved stream.
 */
const PASSING_SQLSTATE =
  /^(08...|25P03|25P04|25006|40001|40P01|53...|55P03|57...|58...|42P01|42703|42883|3F000|42501|JN001)$/;

/** What sockets, resolvers and TLS call their failures in Node. */
const SYSTEM_CODE =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|MFILE|NFILE)|UND_ERR_.*TIMEOUT|UND_ERR_SOCKET|ABORT_ERR|ERR_SOCKET_.*)$/;

/** pg and pg-pool report these without any code. */
const PG_WORDS =
  /connection terminated|timeout exceeded when trying to connect|connection error and is not queryable|cannot use a pool after calling end|client was closed|query read timeout/i;

const PASSING_NAMES = new Set(['AbortError', 'TimeoutError', 'StreamMovedError']);
const PASSING_KINDS = new Set<string>(['unavailable', 'contended', 'rate_limited']);

/** What is read of an error. Not `instanceof Error`: it may come from another realm. */
interface Failure {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** Total: an error that nothing here knows is the record's. Looks through the chain of causes. */
export function classifyError(error: unknown): ErrorClass {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && isFailure(current); depth++) {
    if (current instanceof RecordError) return 'record';
    if (isPassing(current)) return 'infrastructure';
    current = current.cause;
  }
  return 'record';
}

const isFailure = (error: unknown): error is Failure => typeof error === 'object' && error !== null;

function isPassing(error: Failure): boolean {
  if (error instanceof AppError) return PASSING_KINDS.has(error.kind);
  const { name, message, code, errors } = error;
  // Every address of a host refused the connection.
  if (Array.isArray(errors)) return errors.filter(isFailure).some(isPassing);
  if (typeof name === 'string' && (PASSING_NAMES.has(name) || name.startsWith('KafkaJS')))
    return true;
  if (typeof message === 'string' && PG_WORDS.test(message)) return true;
  return typeof code === 'string' && (PASSING_SQLSTATE.test(code) || SYSTEM_CODE.test(code));
}

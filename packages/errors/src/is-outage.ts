const CAUSES_MAX = 8;

/**
 * SQLSTATEs that speak of the server or of the moment, not of the statement: connection (08), idle
 * transaction ended (25P03, 25P04), standby that only reads (25006), serialization and deadlock (40001,
 * 40P01), resources (53), lock not available (55P03), operator intervention and timeouts (57), system
 * (58).
 */
const OUTAGE_SQLSTATE = /^(08...|25P0[34]|25006|40001|40P01|53...|55P03|57...|58...)$/;

/** Error codes of failed sockets, resolvers and undici in Node. */
const SYSTEM_CODE =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|MFILE|NFILE)|UND_ERR_.*TIMEOUT|UND_ERR_SOCKET|ERR_SOCKET_.*)$/;

/** Messages of pg, pg-pool and kafkajs for failures that have no code. */
const IN_WORDS =
  /^(connection terminated|timeout exceeded when trying to connect|timeout expired$|client has encountered a connection error|client was closed|query read timeout|cannot use a pool after calling end|broker not connected$)/i;

/** The part of an error that is read here. Not `instanceof Error`, because an error may come from another realm. */
interface Failure {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly retriable?: unknown;
}

/**
 * Returns whether the failure is an outage: something this process depends on was away, too slow or overloaded, so the
 * same request may succeed later. Looks through the chain of causes, and knows the errors of sockets, fetch, pg and
 * kafkajs.
 */
export function isOutage(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && isFailure(current); depth++) {
    if (saysSo(current)) return true;
    current = current.cause;
  }
  return false;
}

const isFailure = (error: unknown): error is Failure => typeof error === 'object' && error !== null;

function saysSo({ name, message, code, errors, retriable }: Failure): boolean {
  // Every address of a host refused the connection.
  if (Array.isArray(errors) && errors.filter(isFailure).some(saysSo)) return true;
  if (name === 'TimeoutError') return true;
  // kafkajs says of each of its errors whether another attempt may succeed.
  if (typeof name === 'string' && name.startsWith('KafkaJS') && retriable === true) return true;
  if (typeof code === 'string') return OUTAGE_SQLSTATE.test(code) || SYSTEM_CODE.test(code);
  return typeof message === 'string' && IN_WORDS.test(message);
}

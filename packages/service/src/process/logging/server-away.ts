import { AppError, isOutage, tlsInWords } from '@junction/errors';

/**
 * Names of servers by what an error names: a port, a host name that has no address, or `gRPC` for the server that a
 * process calls by it.
 */
export type ServerNames = ReadonlyMap<string | number, string>;

/** A server that an error tells is away, and how the error says so. */
export interface Away {
  readonly server: string;
  readonly reason: string;
}

interface Failure {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly port?: unknown;
  readonly address?: unknown;
  readonly hostname?: unknown;
  /** Host and port of the address that `boundedFetch` asked. */
  readonly server?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

const CAUSES_MAX = 8;
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** Serialization, deadlock, lock and statement timeouts: failures of a moment, which a server that is there gives. */
const OF_A_MOMENT = /^(40...|55P03|57014)$/;
/** Faults of this process: no descriptors, and a pool that is used after its end. */
const OURS = /^(EMFILE|ENFILE|cannot use a pool after calling end)/i;

/**
 * Returns which server is away by this error, or undefined for any other failure. Knows errors of sockets, fetch, pg,
 * kafkajs, and problems of the kind `unavailable`.
 */
export function serverAway(error: unknown, names: ServerNames = new Map()): Away | undefined {
  const chain = causesOf(error);
  const root = chain.at(-1);
  if (root === undefined || OF_A_MOMENT.test(String(root.code))) return undefined;
  if (OURS.test(String(root.code ?? root.message))) return undefined;
  const problem = error instanceof AppError && error.kind === 'unavailable' ? error : undefined;
  if (!problem && !isOutage(error)) return undefined;
  const code = typeof root.code === 'string' ? root.code : undefined;
  const server = serverOf(chain, root, names) ?? problem?.code ?? code ?? 'unnamed';
  return { server, reason: rootMessage(error) };
}

/** Returns the message of the deepest cause, which says why: errors around it say for what. */
export const rootMessage = (error: unknown): string =>
  tlsInWords(String(causesOf(error).at(-1)?.message));

/** Returns the error and its causes, the deepest last; of several addresses that failed, the first one's. */
function causesOf(error: unknown): readonly Failure[] {
  const chain: Failure[] = [];
  let current = error;
  while (typeof current === 'object' && current !== null && chain.length < CAUSES_MAX) {
    const failure: Failure = current;
    chain.push(failure);
    current = failure.cause ?? (Array.isArray(failure.errors) ? failure.errors[0] : undefined);
  }
  return chain;
}

const isOfKafka = ({ name, message }: Failure): boolean =>
  String(name).startsWith('KafkaJS') || message === 'Broker not connected';

function serverOf(
  chain: readonly Failure[],
  root: Failure,
  names: ServerNames,
): string | undefined {
  if (chain.some(isOfKafka)) return 'Kafka';
  for (const { server } of chain) if (typeof server === 'string') return server;
  const { name, code, port, address, hostname } = root;
  const named = names.get(Number(port)) ?? names.get(String(hostname));
  if (named !== undefined) return named;
  // The numbers are gRPC's statuses deadline_exceeded and unavailable.
  if (code === 14 || code === 4) return names.get('gRPC');
  if (typeof address === 'string') return `${address}:${String(port)}`;
  if (typeof hostname === 'string') return hostname;
  // Outages without a code are those that pg puts into words.
  const isInWords = code === undefined && name !== 'TimeoutError' && isOutage(root);
  return isInWords || SQLSTATE.test(String(code)) ? 'Postgres' : undefined;
}

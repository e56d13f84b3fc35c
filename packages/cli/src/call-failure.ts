import { type ServiceError, status } from '@grpc/grpc-js';
import { EXIT, Failure } from './failure.js';

/** Target of a call, for the text of its error. */
export interface Place {
  readonly service: string;
  readonly address: string;
}

/** Turns the error of a service into a Failure that its operator understands. */
export function failureOf(error: ServiceError, { service, address }: Place): Failure {
  const { code, details } = error;
  const where = `${service} at ${address}`;
  const words = isOfService(error) ? details : (UNREACHED[code]?.(where) ?? details);
  const text = ANSWERED[code]?.({ service, where, words }) ?? words;
  const exitCode = code === status.INVALID_ARGUMENT ? EXIT.usage : EXIT.failed;
  return new Failure(`${text} (${status[code]})`, exitCode, { cause: error });
}

/** Errors of ours carry their code; without one the call never got through, or gRPC itself ended it. */
const isOfService = ({ metadata }: ServiceError): boolean =>
  metadata !== undefined && metadata.get('error-code').length > 0;

const UNREACHED: Partial<Record<status, (where: string) => string>> = {
  [status.UNAVAILABLE]: (where) =>
    `${where} cannot be reached. Is it running, is this its gRPC port, and does it talk TLS?`,
  [status.DEADLINE_EXCEEDED]: (where) => `${where} did not answer in time. Try again.`,
  [status.UNIMPLEMENTED]: (where) => `${where} does not know this command: another version?`,
};

interface Answered {
  readonly service: string;
  readonly where: string;
  readonly words: string;
}

const ANSWERED: Partial<Record<status, (answered: Answered) => string>> = {
  [status.UNAUTHENTICATED]: ({ where }) =>
    `${where} does not accept the token: is it of the same installation?`,
  [status.PERMISSION_DENIED]: ({ service, words }) =>
    `${service} refuses: ${words} Grant it to this service account.`,
  [status.INTERNAL]: ({ service }) => `${service} failed at it. Its log says why.`,
};

/** Asking the same thing again, a moment later, may help. */
export const isPassing = (error: unknown): boolean => {
  const cause = error instanceof Failure ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  // A request to auth that got no answer; Node says so with a TypeError or a TimeoutError.
  if (!('code' in cause)) return cause.name === 'TypeError' || cause.name === 'TimeoutError';
  return PASSING.has(cause.code as status);
};

const PASSING = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);

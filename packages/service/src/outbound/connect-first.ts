import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';

/** The Connection Attempt Delay that RFC 8305 recommends (section 8). */
const ATTEMPT_DELAY_MS = 250;

/** Opens a connection to one address. Rejects when `signal` aborts, and leaves nothing open then. */
export type Dial = (address: LookupAddress, signal: AbortSignal) => Promise<Socket>;

/**
 * Connects to the address that answers first (RFC 8305, Happy Eyeballs). The families take turns, beginning with that
 * of the first address; an attempt starts 250 ms after the one before, or as soon as an attempt has failed. No attempt
 * is given up before another has succeeded or `deadline` aborts. Rejects with the failure, or after several attempts
 * with an AggregateError of their failures in order.
 *
 * Node's `autoSelectFamily` closes an attempt when the next one starts, however long its timeout is: only the last
 * address would have the whole time.
 */
export const connectFirst = (
  addresses: readonly LookupAddress[],
  dial: Dial,
  deadline: AbortSignal,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const waiting = familiesInTurn(addresses);
    const attempts = new Set<AbortController>();
    const failures: unknown[] = [];
    let begun = 0;
    let isConnected = false;
    let timer: NodeJS.Timeout | undefined;

    const endAttempts = (reason: unknown) => {
      clearTimeout(timer);
      waiting.length = 0;
      for (const attempt of attempts) attempt.abort(reason);
    };

    const succeeded = (attempt: AbortController, socket: Socket) => {
      attempts.delete(attempt);
      if (isConnected) socket.destroy();
      isConnected = true;
      endAttempts(new Error('Another address answered first.'));
      resolve(socket);
    };

    const failed = (attempt: AbortController, place: number, error: unknown) => {
      attempts.delete(attempt);
      failures[place] = error;
      if (waiting.length > 0) begin();
      else if (attempts.size === 0) reject(begun === 1 ? error : new AggregateError(failures));
    };

    const begin = () => {
      clearTimeout(timer);
      const address = waiting.shift();
      if (address === undefined) return;
      const attempt = new AbortController();
      const place = begun++;
      attempts.add(attempt);
      if (waiting.length > 0) timer = setTimeout(begin, ATTEMPT_DELAY_MS);
      dial(address, attempt.signal).then(
        (socket) => succeeded(attempt, socket),
        (error: unknown) => failed(attempt, place, error),
      );
    };

    deadline.addEventListener('abort', () => endAttempts(deadline.reason), { once: true });
    begin();
  });

function familiesInTurn(addresses: readonly LookupAddress[]): LookupAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family);
  const other = addresses.filter(({ family }) => family !== addresses[0]?.family);
  return Array.from({ length: Math.max(first.length, other.length) }, (_, place) =>
    [first[place], other[place]].filter((one) => one !== undefined),
  ).flat();
}

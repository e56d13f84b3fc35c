import { pause, semaphore, turns } from '@junction/async';
import { AppError } from '@junction/errors';
import type { Response } from 'express';

/** Requests of one caller at a time, of one replica: enough for a page that asks for several things at once. */
const AT_ONCE_MAX = 8;
const WAITING_MAX = 100;
/** The same for requests that cost more than one: they share processor and connections with everybody else. */
const DEAR_AT_ONCE_MAX = 2;
const DEAR_WAITING_MAX = 20;
/** Requests of all callers that may wait for those that cost more than one. */
const ALL_DEAR_WAITING_MAX = 1_000;
/**
 * Cost from which a caller's requests run one after the other. Each rests the caller's next one for three times as long
 * as it took, a second at most: between them, others have the processor.
 */
const HEAVY_COST = 10;
const HEAVY_REST = 3;
const HEAVY_REST_MAX_MS = 1_000;
/** Milliseconds that a request waits for its turn. */
const WAIT_MAX_MS = 10_000;

/** Runs the work of a request when it is its caller's turn. The work of an aborted signal is never begun. */
export type TakeTurn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Makes the turns of one replica's callers. A caller has few requests under way, and fewer of those that cost more than
 * one, of which `dearMax` of all callers run at a time; what is more waits in the caller's own line, so that callers
 * take turns before any request takes a connection. AppError `too_many_requests` for a caller whose line is full.
 */
export function requestTurns(dearMax: number): (caller: string, cost: number) => TakeTurn {
  const waiting = { waitMaxMs: WAIT_MAX_MS, refusal: tooManyAtOnce };
  const ofCaller = turns({ ...waiting, atOnceMax: AT_ONCE_MAX, waitingMax: WAITING_MAX });
  const dearOfCaller = turns({
    ...waiting,
    atOnceMax: DEAR_AT_ONCE_MAX,
    waitingMax: DEAR_WAITING_MAX,
  });
  const heavyOfCaller = turns({ ...waiting, waitingMax: DEAR_WAITING_MAX });
  const dear = semaphore({ ...waiting, atOnceMax: dearMax, waitingMax: ALL_DEAR_WAITING_MAX });
  return (caller, cost) => (work, signal) => {
    if (cost === 1) return ofCaller(caller, work, signal);
    const inCommon = () => dear(work, signal);
    if (cost < HEAVY_COST) return dearOfCaller(caller, inCommon, signal);
    return answeredBeforeRest(inCommon, (rested) => heavyOfCaller(caller, rested, signal));
  };
}

/** Resolves as `work` does, while the turn that it had goes on until its rest is over. */
const answeredBeforeRest = <T>(
  work: () => Promise<T>,
  inTurn: (work: () => Promise<void>) => Promise<void>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const rested = async () => {
      const begunMs = performance.now();
      const answering = work();
      resolve(answering);
      await answering.catch(() => undefined);
      await pause(Math.min(HEAVY_REST_MAX_MS, HEAVY_REST * (performance.now() - begunMs)));
    };
    inTurn(rested).catch(reject);
  });

/** Refuses a request that finds its caller's line full. */
export const tooManyAtOnce = (): AppError =>
  new AppError(
    'too_many_requests',
    'Too many requests of this caller wait for each other. Send fewer at a time.',
    { retryAfterS: 1 },
  );

const takenBy = new WeakMap<Response, TakeTurn>();

/** Lets the route of a request begin only when it is its turn. */
export const setTurn = (res: Response, take: TakeTurn): void => void takenBy.set(res, take);

/** Returns how the route of a request takes its turn: at once where nothing in front of it has said otherwise. */
export const turnOf = (res: Response): TakeTurn => takenBy.get(res) ?? ((work) => work());

import type { RefusedRequest } from '@junction/service/callers';
import type { Logger } from '@junction/service/process';
import { idOf } from './actor.js';
import type { Journal } from './journal.js';

/** Pairs of method and code that are recorded in a window: for one caller, and for all callers together. */
const READS_OF_CALLER_MAX = 10;
/** More than there are changes to ask for, so that no number of reads hides an attempt at one. */
const CHANGES_OF_CALLER_MAX = 50;
const ALL_MAX = 1_000;

/** Refused attempts, recorded in the background: the refusal is answered whether or not it can be recorded. */
export interface Refusals {
  /** Adds a refusal. Never throws and never waits. */
  add(refusal: RefusedRequest): void;
  /** Ends the window: records how often attempts were repeated in it. Resolves when all is recorded or logged. */
  tell(): Promise<void>;
}

interface Entry {
  readonly refusal: RefusedRequest;
  /** Attempts that no event has recorded yet. */
  untold: number;
}

/**
 * Records the first attempt of a caller that a method refuses with a code as an event at once, and counts its repeats
 * in the same window in one more event. A process therefore writes at most two thousand events in a window, one after
 * the other. Attempts beyond the bounds, or that cannot be recorded, are in the log.
 */
export function operatorRefusals(record: Journal['refused'], log: Pick<Logger, 'warn'>): Refusals {
  const callers = new Map<string, Map<string, Entry>>();
  let entries = 0;
  let recording = Promise.resolve();

  const save = (entry: Entry): void => {
    const { refusal, untold } = entry;
    entry.untold = 0;
    recording = recording.then(async () => {
      await record(refusal, untold).catch((error: unknown) => {
        entry.untold += untold;
        logUnrecorded(refusal, { err: error });
      });
    });
  };

  const logUnrecorded = (
    { actor, method, code }: RefusedRequest,
    cause?: { readonly err: unknown },
  ) =>
    log.warn({ ...cause, ...actor, method, code, keep: true }, 'a refused attempt is not recorded');

  const newEntry = (refusal: RefusedRequest, ofCaller: Map<string, Entry>): Entry | undefined => {
    if (ofCaller.size >= mostOf(refusal) || entries >= ALL_MAX) return undefined;
    entries += 1;
    return { refusal, untold: 0 };
  };

  return {
    add(refusal) {
      const { actor, method, code } = refusal;
      const caller = `${idOf(actor)} ${isRead(refusal)}`;
      const ofCaller = callers.get(caller) ?? new Map<string, Entry>();
      const key = `${method} ${code}`;
      const known = ofCaller.get(key);
      const entry = known ?? newEntry(refusal, ofCaller);
      if (entry === undefined) return logUnrecorded(refusal);
      entry.untold += 1;
      if (known) return;
      callers.set(caller, ofCaller.set(key, entry));
      save(entry);
    },

    async tell() {
      await recording;
      const ended = [...callers.values()].flatMap((ofCaller) => [...ofCaller.values()]);
      callers.clear();
      entries = 0;
      for (const entry of ended) if (entry.untold > 0) save(entry);
      await recording;
    },
  };
}

/** Returns whether an attempt was at reading. */
const isRead = ({ method }: RefusedRequest): boolean => /^(GET|HEAD) /.test(method);

const mostOf = (refusal: RefusedRequest): number =>
  isRead(refusal) ? READS_OF_CALLER_MAX : CHANGES_OF_CALLER_MAX;

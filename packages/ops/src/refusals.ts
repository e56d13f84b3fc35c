import type { Logger } from '@junction/service-kit/process';
import type { Journal, Refusal } from './journal.js';

/** Of one caller so many methods and reasons are recorded in a window, and of all callers together so many. */
const OF_CALLER_MAX = 10;
const ALL_MAX = 1_000;

/** Refused attempts, recorded in the background: whoever is refused hears so, whether or not it can be recorded. */
export interface Refusals {
  /** Never throws and never waits. */
  add(refusal: Refusal): void;
  /** Ends the window: records how often attempts were repeated in it. Resolves when all is recorded or logged. */
  tell(): Promise<void>;
}

interface Entry {
  readonly refusal: Refusal;
  /** Attempts that no event tells of. */
  untold: number;
}

/**
 * The first attempt of a caller at a method, refused for one reason, is an event at once; its repeats in the same window are
 * counted in one more. So a process writes at most two thousand events in a window, one after the other. What is beyond the
 * bounds, or cannot be recorded, is in the log.
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
        logUnrecorded(refusal, error);
      });
    });
  };

  const logUnrecorded = ({ actor, method, code }: Refusal, err?: unknown) =>
    log.warn({ err, ...actor, method, code }, 'a refused attempt is not recorded');

  const newEntry = (refusal: Refusal, ofCaller: Map<string, Entry>): Entry | undefined => {
    if (ofCaller.size >= OF_CALLER_MAX || entries >= ALL_MAX) return undefined;
    entries += 1;
    return { refusal, untold: 0 };
  };

  return {
    add(refusal) {
      const { actor, method, code } = refusal;
      const caller = 'userId' in actor ? actor.userId : actor.clientId;
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

import { type ServerNames, serverAway } from './server-away.js';

/** Silence after which an outage is over: above the slowest retry, that of a Kafka that answers no request. */
const OVER_AFTER_MS = 60_000;
const REMIND_EVERY_MS = 5 * 60_000;
const LOOK_EVERY_MS = 5_000;

type Fields = Readonly<Record<string, unknown>>;
type Write = (fields: Fields, message: string) => void;

interface Outage {
  readonly beganMs: number;
  saidMs: number;
  lastMs: number;
  /** Lines that were held back. */
  suppressed: number;
}

/**
 * Makes a few lines of the many in which parts of a process tell that one server is away: one when that begins, one in
 * five minutes while it goes on, and one when it has not been met for a minute, with how long it lasted.
 */
export function outageLines(write: Write, names?: ServerNames, clock = () => performance.now()) {
  const outages = new Map<string, Outage>();
  let looking: NodeJS.Timeout | undefined;

  const look = () => {
    const nowMs = clock();
    for (const [server, outage] of outages) {
      const { beganMs, saidMs, lastMs, suppressed } = outage;
      const fields = { server, duration_ms: Math.round(lastMs - beganMs), suppressed };
      if (nowMs - lastMs >= OVER_AFTER_MS) {
        outages.delete(server);
        write(fields, 'an outage is over: not met again for a minute');
      } else if (nowMs - saidMs >= REMIND_EVERY_MS) {
        outage.saidMs = nowMs;
        write(fields, 'an outage goes on');
      }
    }
    if (outages.size === 0) {
      clearInterval(looking);
      looking = undefined;
    }
  };

  return {
    /**
     * Takes a line over when its error tells of a server that is away, and returns whether it did. The first line of an
     * outage is written with the fields of the line that it replaces.
     */
    take(fields: Fields, message: string, writeFirst: Write): boolean {
      const { err, error, ...others } = fields;
      const away = serverAway(err ?? error, names);
      if (away === undefined) return false;
      const nowMs = clock();
      const outage = outages.get(away.server);
      if (outage) {
        outage.lastMs = nowMs;
        outage.suppressed += 1;
        return true;
      }
      outages.set(away.server, { beganMs: nowMs, saidMs: nowMs, lastMs: nowMs, suppressed: 0 });
      looking ??= setInterval(look, LOOK_EVERY_MS).unref();
      const { server, reason } = away;
      writeFirst({ ...others, server, reason, operation: message }, BEGAN);
      return true;
    },
    look,
  };
}

const BEGAN =
  'an outage began: this is said again in five minutes, and lines about it are held back';

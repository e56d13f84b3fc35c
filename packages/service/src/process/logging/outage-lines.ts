import { type ServerNames, serverAway } from './server-away.js';

/**
 * Silence after which an outage is over without an answer: above the slowest retry, that of a Kafka that answers no
 * request.
 */
const OVER_AFTER_MS = 60_000;
const REMIND_EVERY_MS = 5 * 60_000;
const LOOK_EVERY_MS = 5_000;
/** Ways to fail that are told of one outage: a server that starts anew has some five. */
const REASONS_MAX = 8;

type Fields = Readonly<Record<string, unknown>>;
type Write = (fields: Fields, message: string) => void;

interface Outage {
  readonly beganMs: number;
  saidMs: number;
  lastMs: number;
  /** Reasons that were written, so that a further fault of the same server is not hidden behind the first. */
  readonly reasons: Set<string>;
  /** Lines that were held back. */
  suppressed: number;
}

/**
 * Makes a few lines of the many in which parts of a process tell that one server is away: one when that begins, one for
 * each other reason, one in five minutes while it goes on, and one when the server has answered since, or has not been
 * met for a minute, with how long it lasted. Leaves lines with `keep: true` alone, which tell what is told nowhere
 * else.
 */
export function outageLines(write: Write, names?: ServerNames, clock = () => performance.now()) {
  const outages = new Map<string, Outage>();
  /** Moments at which answers ended outages, by server. */
  const endedMs = new Map<string, number>();
  let looking: NodeJS.Timeout | undefined;

  const look = () => {
    const nowMs = clock();
    for (const [server, outage] of outages) {
      if (tell(server, outage, nowMs, write)) outages.delete(server);
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
      const { err, error, keep, ...others } = fields;
      if (keep === true) return false;
      const away = serverAway(err ?? error, names);
      if (away === undefined) return false;
      const nowMs = clock();
      const { server, reason } = away;
      const outage = outages.get(server);
      if (outage) outage.lastMs = nowMs;
      if (outage && (outage.reasons.has(reason) || outage.reasons.size === REASONS_MAX)) {
        outage.suppressed += 1;
        return true;
      }
      writeFirst({ ...others, server, reason, operation: message }, outage ? OTHERWISE : BEGAN);
      if (outage) outage.reasons.add(reason);
      else {
        const began = { beganMs: nowMs, saidMs: nowMs, lastMs: nowMs, suppressed: 0 };
        outages.set(server, { ...began, reasons: new Set([reason]) });
      }
      looking ??= setInterval(look, LOOK_EVERY_MS).unref();
      return true;
    },
    /**
     * Ends the outage of a server that has answered what it was asked at `askedMs` of the clock, after its last
     * failure. An outage that follows within a minute of such an end is one of some answers, and ends by silence alone.
     */
    answered(server: string, askedMs: number): void {
      const outage = outages.get(server);
      if (outage === undefined || outage.lastMs >= askedMs) return;
      if (outage.beganMs - (endedMs.get(server) ?? -OVER_AFTER_MS) < OVER_AFTER_MS) return;
      endedMs.set(server, clock());
      outages.delete(server);
      write(told(server, outage), 'an outage is over: the server answers');
    },
    look,
  };
}

const BEGAN =
  'an outage began: this is said again in five minutes, and lines about it are held back';
const OTHERWISE = 'the server of an outage fails in another way, too';

/** Tells of an outage what is due by now, and returns whether it is over. */
function tell(server: string, outage: Outage, nowMs: number, write: Write): boolean {
  const { saidMs, lastMs } = outage;
  const fields = told(server, outage);
  if (nowMs - lastMs >= OVER_AFTER_MS) {
    write(fields, 'an outage is over: not met again for a minute');
    return true;
  }
  if (nowMs - saidMs >= REMIND_EVERY_MS) {
    outage.saidMs = nowMs;
    write(fields, 'an outage goes on');
  }
  return false;
}

const told = (server: string, { beganMs, lastMs, reasons, suppressed }: Outage): Fields => ({
  server,
  reason: [...reasons].join('; '),
  duration_ms: Math.round(lastMs - beganMs),
  suppressed,
});

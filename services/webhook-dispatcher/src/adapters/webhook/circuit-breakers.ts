import { EventEmitter } from 'node:events';
import CircuitBreaker from 'opossum';
import type { Rest } from '../../application/job.js';
import type {
  CircuitChange,
  Circuits,
  OnCircuitChange,
  Probe,
} from '../../application/sending/ports.js';

export interface BreakerSettings {
  /** Milliseconds that an open circuit rests before its first probe; doubled after each probe that fails. */
  readonly resetMs: number;
  readonly resetMaxMs: number;
  readonly windowMs: number;
  /** Fewer attempts than this in the window say nothing. */
  readonly volumeMin: number;
  readonly failurePercent: number;
}

export const BREAKER_SETTINGS: BreakerSettings = {
  resetMs: 30_000,
  resetMaxMs: 600_000,
  windowMs: 300_000,
  volumeMin: 5,
  failurePercent: 80,
};

const BUCKETS = 5;
const BREAKERS_MAX = 10_000;
/** A failing webhook shows with two whether it recovers. */
const FAILING_AT_ONCE_MAX = 2;

/** Breaker that is fired with whether an attempt failed, once that is known. */
type Breaker = CircuitBreaker<[isFailing: Promise<boolean>], void>;

/** Keeps an opossum breaker for each failing webhook; the others need none. */
export function circuitBreakers(
  settings: BreakerSettings,
  onChange: OnCircuitChange,
  now: () => number = Date.now,
): Circuits {
  const breakers = new Map<string, Breaker>();
  const clock = bucketClock(settings.windowMs / BUCKETS, () => dropRecovered(breakers));

  /** `open`: it begins in the middle of this rest. */
  const create = (webhookId: string, open?: Rest): Breaker | undefined => {
    if (breakers.size >= BREAKERS_MAX) return undefined;
    // A breaker that is created open half-opens at once, so this one is opened with the time that is left.
    const firstMs = open ? Math.max(1, open.probeAt.getTime() - now()) : settings.resetMs;
    const options = optionsOf(webhookId, settings, clock.emitter, firstMs);
    const breaker = breakerWith(options, open !== undefined, now);
    const restMs = open?.restMs ?? settings.resetMs;
    announce(breaker, { options, restMs }, settings, (change) => onChange(webhookId, change), now);
    breakers.set(webhookId, breaker);
    return breaker;
  };

  const drop = (webhookId: string) => {
    breakers.get(webhookId)?.shutdown();
    breakers.delete(webhookId);
  };

  return {
    probe(webhookId) {
      const breaker = breakers.get(webhookId);
      return breaker?.closed === false ? probeOf(breaker) : undefined;
    },

    count(webhookId, isFailing) {
      const breaker = breakers.get(webhookId) ?? (isFailing ? create(webhookId) : undefined);
      // The breaker may have opened meanwhile: an attempt that began before says nothing of the webhook since.
      if (breaker?.closed) fire(breaker, Promise.resolve(isFailing));
    },

    permits(webhookId, underWay) {
      const breaker = breakers.get(webhookId);
      if (breaker?.closed !== false) return !breaker || underWay < FAILING_AT_ONCE_MAX;
      // Half-open lets exactly one through: opossum takes the permission back when it is fired.
      return breaker.pendingClose;
    },

    drop,
    isOpen: (webhookId) => breakers.get(webhookId)?.opened === true,

    restore(webhookId, rest) {
      if (!isNews(breakers.get(webhookId), rest)) return;
      // Attempts that ended after the circuit opened do not close it; only a probe does.
      drop(webhookId);
      create(webhookId, rest);
    },

    stop() {
      clock.stop();
      for (const webhookId of breakers.keys()) drop(webhookId);
    },
  };
}

/** Moments at which breakers opened here. Such a breaker knows its circuit, whatever another owner left written. */
const opened = new WeakMap<Breaker, { readonly openedMs: number; readonly probeMs: number }>();

/** Returns true when the circuit was never open here, or when an earlier probe was requested after it opened. */
function isNews(breaker: Breaker | undefined, { probeAt }: Rest): boolean {
  const last = breaker && opened.get(breaker);
  if (last === undefined) return true;
  const probeMs = probeAt.getTime();
  return breaker?.opened === true && probeMs > last.openedMs && probeMs < last.probeMs;
}

function breakerWith(
  options: CircuitBreaker.Options & { readonly resetTimeout: number },
  isOpen: boolean,
  now: () => number,
): Breaker {
  const breaker: Breaker = new CircuitBreaker(judged, options);
  breaker.on('open', () => {
    const openedMs = now();
    opened.set(breaker, { openedMs, probeMs: openedMs + options.resetTimeout });
  });
  // Opened before anybody else listens: an open circuit is no news here.
  if (isOpen) breaker.open();
  return breaker;
}

/** opossum keeps the object it is given, and reads resetTimeout from it at each opening. */
const optionsOf = (
  name: string,
  settings: BreakerSettings,
  clock: EventEmitter,
  resetTimeout: number,
) => ({
  name,
  resetTimeout,
  rollingCountTimeout: settings.windowMs,
  rollingCountBuckets: BUCKETS,
  volumeThreshold: settings.volumeMin,
  errorThresholdPercentage: settings.failurePercent,
  // opossum's timeout would stop waiting without stopping the request. The sender owns the deadline.
  timeout: false as const,
  enableSnapshots: false,
  rollingPercentilesEnabled: false,
  rotateBucketController: clock,
});

/**
 * Tells of its changes, and lets it rest twice as long after each probe that fails. `restMs`: how long its rests
 * are by now.
 */
function announce(
  breaker: Breaker,
  { options, restMs }: { readonly options: { resetTimeout: number }; readonly restMs: number },
  { resetMs, resetMaxMs }: BreakerSettings,
  onChange: (change: CircuitChange) => void,
  now: () => number,
): void {
  let lastMs = restMs;
  breaker.on('open', () => {
    const { resetTimeout } = options;
    onChange({ to: 'open', probeAt: new Date(now() + resetTimeout), restMs: resetTimeout });
  });
  breaker.on('halfOpen', () => {
    lastMs = Math.min(resetMaxMs, Math.max(lastMs, resetMs) * 2);
    options.resetTimeout = lastMs;
    onChange({ to: 'half-open' });
  });
  breaker.on('close', () => {
    lastMs = resetMs;
    options.resetTimeout = resetMs;
    onChange({ to: 'closed' });
  });
}

/**
 * Has the breaker count an attempt. The breaker rejects attempts that failed, and attempts that were permitted before
 * it opened: such an attempt is made all the same, as it costs one request at most.
 */
const fire = (breaker: Breaker, isFailing: Promise<boolean>): void =>
  void breaker.fire(isFailing).catch(() => {});

/** Begins the probe of a circuit that is not closed. */
function probeOf(breaker: Breaker): Probe {
  let ended: Probe = () => {};
  fire(breaker, new Promise((resolve) => (ended = resolve)));
  return ended;
}

/** The breaker knows success and failure by promises alone. */
async function judged(isFailing: Promise<boolean>): Promise<void> {
  if (await isFailing) throw new Error('The attempt failed.');
}

/** Turns the windows of all breakers with one timer; otherwise each breaker would have a timer of its own. */
function bucketClock(everyMs: number, afterTurn: () => void) {
  const emitter = new EventEmitter().setMaxListeners(0);
  const timer = setInterval(() => {
    emitter.emit('rotate');
    afterTurn();
  }, everyMs).unref();
  return { emitter, stop: () => clearInterval(timer) };
}

/** Closed, and without a failure in the whole window: the webhook is well again. */
function dropRecovered(breakers: Map<string, Breaker>): void {
  for (const [webhookId, breaker] of breakers) {
    if (!breaker.closed || breaker.stats.failures > 0) continue;
    breaker.shutdown();
    breakers.delete(webhookId);
  }
}

import { type Place, placeOf, RESPONSIVE_MAX_MS } from './pace.js';
import type { WebhookQueue } from './webhook-queues.js';

export interface UnderWayPorts {
  readonly monotonicMs: () => number;
  /** Attempts to these webhooks, responsive or new until then, take long. */
  readonly onSlow: (queues: readonly WebhookQueue[]) => void;
  /** Attempts that could not begin in the tick before may begin. */
  readonly onTick: () => void;
}

export interface UnderWayAttempt {
  readonly queue: WebhookQueue;
  readonly startedMs: number;
  /** Of its queue, when it began. */
  readonly detached: number;
  place: Place;
  hasEnded: boolean;
}

/** Attempts at once to responsive webhooks: more would only wait for each other. */
const RESPONSIVE_AT_ONCE_MAX = 128;
/** Attempts at once to all others: most of them wait for an answer that may never come, and hold a connection. */
const OTHERS_AT_ONCE_MAX = 1_000;
/** Of these, attempts to webhooks that never answered: those that answer slowly keep places of their own. */
const UNKNOWN_AT_ONCE_MAX = 900;
/** Of these, attempts to failing webhooks: new ones find a place, however many fail. */
const FAILING_AT_ONCE_MAX = 600;
/**
 * So many attempts to new webhooks and so many to failing ones start at once; above that, a few in each tick.
 * Attempts that start together time out together, and a timeout costs as much as several deliveries: a result to
 * write, a connection to cut and another to make.
 */
const WARM_UP_MAX = 64;
const A_TICK_MAX = 2;
const TICK_MS = 10;
const LOOK_EVERY_MS = 100;

/**
 * The limit of all attempts, in parts: however many receivers hang, responsive webhooks have places of their own, and
 * so have slow and new ones. An attempt that takes long is counted as slow or failing from then on.
 */
export class UnderWay {
  readonly #ports: UnderWayPorts;
  /** Attempts that may yet show it, the oldest first, and those that have ended since the last look (decision 8). */
  #watched: UnderWayAttempt[] = [];
  readonly #taken: Record<Place, number> = { responsive: 0, known: 0, new: 0, failing: 0 };
  #looking: NodeJS.Timeout | undefined;
  /** Attempts above the warm-up limit in this tick, counted apart: failing webhooks must not delay new ones. */
  #begun: Record<UnknownPlace, number> = { new: 0, failing: 0 };
  #tick: NodeJS.Timeout | undefined;

  constructor(ports: UnderWayPorts) {
    this.#ports = ports;
  }

  get count(): number {
    return this.#taken.responsive + this.others;
  }

  /** Attempts to webhooks that are not responsive. */
  get others(): number {
    const { known, new: untested, failing } = this.#taken;
    return known + untested + failing;
  }

  /** There is room, and this tick has not started its share of new or failing webhooks yet. */
  mayBegin(place: Place): boolean {
    return this.#hasRoom(place) && (isKnown(place) || this.#begun[place] < A_TICK_MAX);
  }

  /** New webhooks are being throttled: their attempts wait for others to end. */
  get isThrottling(): boolean {
    return this.#taken.new > WARM_UP_MAX || !this.#hasRoom('new');
  }

  #hasRoom(place: Place): boolean {
    const { responsive, new: untested, failing } = this.#taken;
    if (place === 'responsive') return responsive < RESPONSIVE_AT_ONCE_MAX;
    if (this.others >= OTHERS_AT_ONCE_MAX) return false;
    if (place === 'known') return true;
    if (untested + failing >= UNKNOWN_AT_ONCE_MAX) return false;
    return place === 'new' || failing < FAILING_AT_ONCE_MAX;
  }

  begin(queue: WebhookQueue): UnderWayAttempt {
    const startedMs = this.#ports.monotonicMs();
    const { detached } = queue;
    const attempt = { queue, startedMs, detached, place: placeOf(queue.pace), hasEnded: false };
    this.#taken[attempt.place]++;
    if (!isKnown(attempt.place)) this.#throttle(attempt.place);
    if (queue.pace.kind !== 'slow') {
      this.#watched.push(attempt);
      this.#looking ??= setTimeout(() => this.#look(), LOOK_EVERY_MS);
    }
    queue.underWay++;
    return attempt;
  }

  end(attempt: UnderWayAttempt): void {
    if (isAttached(attempt)) attempt.queue.underWay--;
    attempt.hasEnded = true;
    this.#taken[attempt.place]--;
  }

  /** What is under way to the webhook goes on to hold its connections, and counts for the webhook no more. */
  detach(queue: WebhookQueue): void {
    queue.detached++;
    queue.underWay = 0;
  }

  stop(): void {
    clearTimeout(this.#looking);
    clearTimeout(this.#tick);
  }

  #throttle(place: UnknownPlace): void {
    if (this.#taken[place] <= WARM_UP_MAX) return;
    this.#begun[place]++;
    this.#tick ??= setTimeout(() => {
      this.#tick = undefined;
      this.#begun = { new: 0, failing: 0 };
      this.#ports.onTick();
    }, TICK_MS);
  }

  #look(): void {
    const slowFromMs = this.#ports.monotonicMs() - RESPONSIVE_MAX_MS;
    const stillUnderWay = this.#watched.filter((attempt) => !attempt.hasEnded);
    const slow = stillUnderWay.filter((attempt) => attempt.startedMs <= slowFromMs);
    this.#watched = stillUnderWay.slice(slow.length);
    for (const attempt of slow) {
      this.#taken[attempt.place]--;
      attempt.place = attempt.place === 'responsive' ? 'known' : 'failing';
      this.#taken[attempt.place]++;
    }
    this.#looking =
      this.#watched.length > 0 ? setTimeout(() => this.#look(), LOOK_EVERY_MS) : undefined;
    const attached = slow.filter(isAttached);
    if (attached.length > 0) this.#ports.onSlow(attached.map(({ queue }) => queue));
  }
}

const isAttached = ({ queue, detached }: UnderWayAttempt): boolean => queue.detached === detached;

type UnknownPlace = 'new' | 'failing';

const isKnown = (place: Place): place is Exclude<Place, UnknownPlace> =>
  place === 'responsive' || place === 'known';

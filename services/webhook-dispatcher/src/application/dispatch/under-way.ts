import type { Lane } from './lanes.js';
import { type Place, placeOf, SWIFT_MAX_MS } from './pace.js';

export interface UnderWayNeeds {
  readonly monotonicMs: () => number;
  /** These webhooks, quick or never tried before, have shown themselves to be slow just now. */
  readonly onSlow: (lanes: readonly Lane[]) => void;
  /** What could not begin in the tick before may begin now. */
  readonly onTick: () => void;
}

export interface UnderWayAttempt {
  readonly lane: Lane;
  readonly startedMs: number;
  place: Place;
  hasEnded: boolean;
}

/** Attempts at once to webhooks that are known to answer soon: more would only wait for each other. */
const SWIFT_AT_ONCE_MAX = 128;
/** To all others: most of these wait for an answer that may never come, and cost a connection each. */
const OTHERS_AT_ONCE_MAX = 1_000;
/** Of them to such as never answered: those that answer, if slowly, keep places of their own. */
const UNPROVEN_AT_ONCE_MAX = 900;
/** Of these to such as are known to fail: however many they are, who was never tried finds a place soon. */
const AILING_AT_ONCE_MAX = 600;
/**
 * So many of the untried and so many of the ailing begin at ease, and the next ones of either a few in each tick.
 * Those that begin together run out of time together, and each costs as much as several deliveries: a result to
 * write, a connection to cut and another to make.
 */
const AT_EASE_MAX = 64;
const A_TICK_MAX = 2;
const TICK_MS = 10;
const LOOK_EVERY_MS = 100;

/**
 * The cap over all attempts, in parts: however many receivers hang, those that answer soon have their places, and
 * so have those that answer late and those that were never tried. An attempt that takes long gives its place
 * among the quick or the untried up.
 */
export class UnderWay {
  readonly #needs: UnderWayNeeds;
  /** Attempts that may yet show it, the oldest first, and those that have ended since the last look (decision 8). */
  #watched: UnderWayAttempt[] = [];
  readonly #taken: Record<Place, number> = { swift: 0, proven: 0, untried: 0, ailing: 0 };
  #looking: NodeJS.Timeout | undefined;
  /** In this tick, of such as do not begin at ease. Not together: who is known to fail holds no first try up. */
  #begun: Record<UnprovenPlace, number> = { untried: 0, ailing: 0 };
  #tick: NodeJS.Timeout | undefined;

  constructor(needs: UnderWayNeeds) {
    this.#needs = needs;
  }

  get count(): number {
    return this.#taken.swift + this.others;
  }

  /** Attempts to webhooks that are not known to answer soon. */
  get others(): number {
    const { proven, untried, ailing } = this.#taken;
    return proven + untried + ailing;
  }

  /** There is room, and it is not too soon after others of its kind, of which no answer is to be expected. */
  mayBegin(place: Place): boolean {
    return this.#hasRoom(place) && (isProven(place) || this.#begun[place] < A_TICK_MAX);
  }

  /** Who was never tried waits for others' answers, and not for us. */
  get isCrowded(): boolean {
    return this.#taken.untried > AT_EASE_MAX || !this.#hasRoom('untried');
  }

  #hasRoom(place: Place): boolean {
    const { swift, untried, ailing } = this.#taken;
    if (place === 'swift') return swift < SWIFT_AT_ONCE_MAX;
    if (this.others >= OTHERS_AT_ONCE_MAX) return false;
    if (place === 'proven') return true;
    if (untried + ailing >= UNPROVEN_AT_ONCE_MAX) return false;
    return place === 'untried' || ailing < AILING_AT_ONCE_MAX;
  }

  begin(lane: Lane): UnderWayAttempt {
    const startedMs = this.#needs.monotonicMs();
    const attempt = { lane, startedMs, place: placeOf(lane.pace), hasEnded: false };
    this.#taken[attempt.place]++;
    if (!isProven(attempt.place)) this.#paceOthers(attempt.place);
    if (lane.pace.kind !== 'slow') {
      this.#watched.push(attempt);
      this.#looking ??= setTimeout(() => this.#look(), LOOK_EVERY_MS);
    }
    lane.underWay++;
    return attempt;
  }

  end(attempt: UnderWayAttempt): void {
    attempt.lane.underWay--;
    attempt.hasEnded = true;
    this.#taken[attempt.place]--;
  }

  stop(): void {
    clearTimeout(this.#looking);
    clearTimeout(this.#tick);
  }

  #paceOthers(place: UnprovenPlace): void {
    if (this.#taken[place] <= AT_EASE_MAX) return;
    this.#begun[place]++;
    this.#tick ??= setTimeout(() => {
      this.#tick = undefined;
      this.#begun = { untried: 0, ailing: 0 };
      this.#needs.onTick();
    }, TICK_MS);
  }

  #look(): void {
    const slowFromMs = this.#needs.monotonicMs() - SWIFT_MAX_MS;
    const stillUnderWay = this.#watched.filter((attempt) => !attempt.hasEnded);
    const slow = stillUnderWay.filter((attempt) => attempt.startedMs <= slowFromMs);
    this.#watched = stillUnderWay.slice(slow.length);
    for (const attempt of slow) {
      this.#taken[attempt.place]--;
      attempt.place = attempt.place === 'swift' ? 'proven' : 'ailing';
      this.#taken[attempt.place]++;
    }
    this.#looking =
      this.#watched.length > 0 ? setTimeout(() => this.#look(), LOOK_EVERY_MS) : undefined;
    if (slow.length > 0) this.#needs.onSlow(slow.map(({ lane }) => lane));
  }
}

type UnprovenPlace = 'untried' | 'ailing';

const isProven = (place: Place): place is Exclude<Place, UnprovenPlace> =>
  place === 'swift' || place === 'proven';

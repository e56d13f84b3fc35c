import { OWN, SHARED } from '../domain.js';
import { randomOf } from '../random.js';

const SHARED_STREAMS = 3;
const OWN_STREAMS = 4;
const EVENTS_MAX = 4;
const AMOUNT_MAX = 9;
const BATCH = 3;

/** Events for one stream. */
export interface Part {
  readonly streamId: string;
  /** `head`: exactly the version it is found at. */
  readonly expected: 'any' | 'head';
  readonly amounts: readonly number[];
}

/** The requests that a writer sends at once: one append, or a batch in which each append is a request of its own. */
export interface Turn {
  readonly requests: readonly { readonly request: string; readonly parts: readonly Part[] }[];
  /** Sent once more although it was acknowledged. */
  readonly isRepeated: boolean;
  readonly restMs: number;
}

/** A writer's n-th turn, the same in all of its lives. */
export function drawTurn(seed: number, writer: string, n: number): Turn {
  const random = randomOf(seed, writer, n);
  const part = (streamId: string, expected: Part['expected']): Part => ({
    streamId,
    expected,
    amounts: Array.from({ length: random.between(1, EVENTS_MAX) }, () =>
      random.between(1, AMOUNT_MAX),
    ),
  });
  const shared = (expected: Part['expected']) =>
    part(`${SHARED}-${random.between(1, SHARED_STREAMS)}`, expected);
  const own = () => part(`${OWN}-${writer}-${random.between(1, OWN_STREAMS)}`, 'any');

  const kinds: (() => readonly (readonly Part[])[])[] = [
    () => [[shared('head')]],
    () => [[{ ...shared('head'), amounts: [1] }]], // a statement of its own: one event, one stream
    () => Array.from({ length: BATCH }, () => [own()]),
    () => [[own(), shared('any')]],
  ];
  const parts = kinds[random.between(0, kinds.length - 1)]?.() ?? [];
  return {
    requests: parts.map((ofRequest, place) => ({
      request: `${writer}/${n}/${place}`,
      parts: ofRequest,
    })),
    isRepeated: random.chance(0.1),
    restMs: random.between(0, 80),
  };
}

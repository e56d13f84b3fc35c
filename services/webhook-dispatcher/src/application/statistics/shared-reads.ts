import { rememberedBy } from '@junction/async';
import type { Span, StatisticsReads, SteppedSpan } from './ports.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Steps of six hours are the widest: no step lies on both sides of what is remembered. */
const SIX_HOURS_MS = 6 * HOUR_MS;
/** An attempt is counted when it has ended, and takes a minute at most. */
const LATE_MS = 5 * MINUTE_MS;
/** Rows that are remembered, of some 400 bytes each: a week of hours for a hundred questions. */
const ROWS_MAX = 20_000;

/**
 * Returns the same reads, each done once for all who ask the same at the same time. Hours that are over are read once a
 * minute, since little is still added to them; those of the last six hours or so are read each time.
 */
export function sharedReads(reads: StatisticsReads, now: () => Date): StatisticsReads {
  const over = rememberedBy<readonly unknown[]>({
    freshMs: MINUTE_MS,
    sizeMax: ROWS_MAX,
    sizeOf: (rows) => rows.length,
  });
  const underWay = rememberedBy<unknown>({ freshMs: 0, sizeMax: 0, sizeOf: () => 0 });

  const once = <Answer>(name: string, webhookIds: readonly string[], ask: () => Promise<Answer>) =>
    underWay(keyOf(name, webhookIds), ask) as Promise<Answer>;

  const bySpan = async <Asked extends Span, Row>(
    name: string,
    webhookIds: readonly string[],
    given: Asked,
    ask: (span: Asked) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> => {
    const span = aligned(given);
    const overAt = floor(now().getTime() - LATE_MS, SIX_HOURS_MS);
    const middle = new Date(Math.min(Math.max(overAt, span.from.getTime()), span.to.getTime()));
    const [before, since] = [
      { ...span, to: middle },
      { ...span, from: middle },
    ];
    const key = (part: Asked) => keyOf(name, webhookIds, JSON.stringify(part));
    const rows = await Promise.all([
      isEmpty(before) ? [] : over(key(before), () => ask(before)),
      isEmpty(since) ? [] : underWay(key(since), () => ask(since)),
    ]);
    return rows.flat() as readonly Row[];
  };

  return {
    hours: (ids, span) => bySpan('hours', ids, span, (part) => reads.hours(ids, part)),
    hoursOfEach: (ids, span) => bySpan('each', ids, span, (part) => reads.hoursOfEach(ids, part)),
    responses: (ids, span) => bySpan('responses', ids, span, (part) => reads.responses(ids, part)),
    unsent: (ids) => once('unsent', ids, () => reads.unsent(ids)),
    unsentOfEach: (ids) => once('unsent of each', ids, () => reads.unsentOfEach(ids)),
    marksOfEach: (ids) => once('marks', ids, () => reads.marksOfEach(ids)),
    lastAttempts: (ids) => once('last', ids, () => reads.lastAttempts(ids)),
  };
}

const keyOf = (name: string, webhookIds: readonly string[], span = ''): string =>
  [name, span, ...webhookIds].join(' ');

/** Moves a span to the hours, or five minutes, that begin within it: requests seconds apart then ask the same. */
function aligned<Asked extends Span & Partial<SteppedSpan>>(span: Asked): Asked {
  const widthMs = span.step === '5m' ? 5 * MINUTE_MS : HOUR_MS;
  const up = (at: Date) => new Date(-floor(-at.getTime(), widthMs));
  return { ...span, from: up(span.from), to: up(span.to) };
}

const floor = (ms: number, widthMs: number): number => Math.floor(ms / widthMs) * widthMs;

const isEmpty = ({ from, to }: Span): boolean => from >= to;

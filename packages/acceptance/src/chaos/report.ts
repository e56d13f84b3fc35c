import { groupBy } from './check/group-by.js';
import type { Effect, History, Violation } from './check/history.js';
import { type Fault, TOPIC } from './schedule.js';

const SHOWN_MAX = 10;

export interface Told {
  readonly seed: number;
  readonly seconds: number;
  readonly schedule: readonly Fault[];
  readonly history: History;
  readonly violations: readonly Violation[];
  /** Folder of the histories. */
  readonly dir: string;
}

/** Counts and verdict of a run, line by line. */
export function report({ seed, seconds, schedule, history, violations, dir }: Told): string[] {
  const { acknowledged, stored, published, effects, readers } = history;
  const steady = readers.filter(({ isRemade }) => !isRemade);
  const isSteady = ({ consumer }: Effect) => steady.some((reader) => reader.consumer === consumer);
  const fresh = effects.filter((effect) => effect.fresh && isSteady(effect)).length;
  const count = (how: Fault['how'], ...victims: readonly string[]) =>
    schedule.filter(
      (fault) => fault.how === how && (victims.length === 0 || victims.includes(fault.victim)),
    ).length;
  const requests = new Set(acknowledged.map(({ request }) => request)).size;
  const consumed = steady.flatMap((reader) =>
    published.filter(({ topic }) => topic === reader.topic),
  ).length;
  const ofLast = published.filter(({ topic }) => topic === TOPIC);
  const again = acknowledged.filter(({ repeated }) => repeated).length;
  return [
    '',
    `acknowledged  ${requests} commands; ${again} answers to repeated ones`,
    `stored        ${stored.length} events`,
    `consumed      ${consumed} records by ${steady.length} consumers of topics that stay`,
    `effects       ${fresh}`,
    `repeats       ${consumed - fresh} records sent again and dropped`,
    `kills         ${count('kill')}, of them postgres ${count('kill', 'postgres')}, kafka ${count('kill', 'kafka')}`,
    `pauses        ${count('pause')}`,
    `made anew     ${count('remake')} times ${TOPIC}, whose last log had ${ofLast.length} records`,
    `seconds       ${Math.round(seconds)}`,
    '',
    ...verdict({ seed, violations, dir }),
  ];
}

function verdict({ seed, violations, dir }: Pick<Told, 'seed' | 'violations' | 'dir'>): string[] {
  if (violations.length === 0) {
    return [`Seed ${seed}: every promise was kept.`];
  }
  const promises = groupBy(violations, ({ promise }) => promise);
  const lines = [...promises].flatMap(([promise, broken]) => [
    `Broken ${broken.length} times: ${promise}`,
    ...broken.slice(0, SHOWN_MAX).map(({ found }) => `  ${found}`),
  ]);
  return [...lines, '', `Seed ${seed}: BROKEN. The histories lie in ${dir}.`];
}

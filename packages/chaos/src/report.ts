import { groupBy } from './check/group-by.js';
import type { History, Violation } from './check/history.js';
import type { Fault } from './schedule.js';

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
  const fresh = effects.filter((effect) => effect.fresh).length;
  const count = (how: Fault['how'], ...victims: readonly string[]) =>
    schedule.filter(
      (fault) => fault.how === how && (victims.length === 0 || victims.includes(fault.victim)),
    ).length;
  const requests = new Set(acknowledged.map(({ request }) => request)).size;
  const consumed = readers.flatMap((reader) =>
    published.filter(({ topic }) => topic === reader.topic),
  ).length;
  const again = acknowledged.filter(({ repeated }) => repeated).length;
  return [
    '',
    `acknowledged  ${requests} commands; ${again} answers to repeated ones`,
    `stored        ${stored.length} events`,
    `consumed      ${consumed} records by ${readers.length} consumers`,
    `effects       ${fresh}`,
    `repeats       ${consumed - fresh} records sent again and dropped`,
    `kills         ${count('kill')}, of them postgres ${count('kill', 'postgres')}, kafka ${count('kill', 'kafka')}`,
    `pauses        ${count('pause')}`,
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

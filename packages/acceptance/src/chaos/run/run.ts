import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deleteData } from '@junction/local-stack';
import { checkHistory } from '../check/check.js';
import type { History, Violation } from '../check/history.js';
import { drawSchedule, type Fault, SERVERS } from '../schedule.js';
import { gather } from './gather.js';
import { operate } from './operator.js';
import { play } from './play.js';
import { comeToRest, untilWorking } from './rest.js';
import { openStage, placesIn } from './stage.js';

export interface RunOptions {
  readonly seed: number;
  readonly kills: number;
  /** Is made, and gone afterwards unless a promise was broken or the run failed by itself. */
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** Calls the run off: it rejects once nothing is left of it. */
  readonly signal: AbortSignal;
}

/** The result of a run. */
export interface Outcome {
  readonly schedule: readonly Fault[];
  readonly history: History;
  readonly violations: readonly Violation[];
}

/** Starts everything, lets the schedule happen, and checks what came of it. */
export async function run(options: RunOptions): Promise<Outcome> {
  const { seed, kills, dir, say, signal } = options;
  const schedule = drawSchedule(seed, kills);
  clear(dir);
  let isKept = true;
  try {
    say('Starting Postgres, Kafka and the processes …');
    const stage = await openStage(dir, seed, options);
    const operator = operate(stage);
    try {
      await untilWorking(stage, signal);
      say('Events go all the way. From now on:');
      await play(schedule, stage, options);
      say('Everybody is back. Waiting until all has arrived …');
      const { ends, restless } = await comeToRest(stage, signal);
      const history = await gather(stage, ends, restless);
      const violations = checkHistory(history);
      isKept = violations.length > 0;
      if (isKept) keep(dir, history, violations);
      return { schedule, history, violations };
    } finally {
      await operator.stop();
      await stage.close();
    }
  } finally {
    deleteData(placesIn(dir).stackDir);
    if (!isKept || signal.aborted) rmSync(dir, { recursive: true, force: true });
  }
}

/** Deletes the files of an earlier run with the same seed. Throws LocalStackError when that run is still going. */
function clear(dir: string): void {
  deleteData(placesIn(dir).stackDir);
  rmSync(dir, { recursive: true, force: true });
}

/** Writes the history beside those of the writers, and copies the logs of the servers to those of the processes. */
function keep(dir: string, history: History, violations: readonly Violation[]): void {
  const { stackDir, logsDir } = placesIn(dir);
  for (const server of SERVERS) {
    const log = path.join(stackDir, server, `${server}.log`);
    if (existsSync(log)) copyFileSync(log, path.join(logsDir, `${server}.log`));
  }
  const { asked: _, acknowledged: __, readers: ___, ...seen } = history;
  for (const [name, items] of Object.entries({ ...seen, violations })) {
    const lines = items.map((item) => `${JSON.stringify(item)}\n`);
    writeFileSync(path.join(placesIn(dir).historiesDir, `${name}.jsonl`), lines.join(''));
  }
}

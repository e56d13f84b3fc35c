import type { World } from '../dispatch/world.js';
import type { ServiceProcess } from '../service-process.js';
import { median, quantile } from '../statistics.js';
import type { Figures } from '../suite.js';
import { type HistorySizes, makeHistory } from './fill.js';
import { type TablesRead, tablesRead } from './plans.js';
import { type Answer, QUESTIONS, type Question, type Subject, subjectsOf } from './questions.js';

export interface ReadingRuns extends HistorySizes {
  /** How often each question is asked, one after the other, by different users. */
  readonly asked: number;
  /** Before that, and not counted. */
  readonly warmUp: number;
}

/** How long users wait for what they read of a long past, and what Postgres reads for it. */
export async function measureReading(world: World, runs: ReadingRuns): Promise<Figures> {
  const { pool, run } = world;
  const history = await makeHistory(world, runs);
  const { rows } = await pool.query<{ attempts: number; disk_gb: number }>(
    `select (select count(*)::integer from attempts) as attempts,
            pg_database_size(current_database()) / 1e9::float8 as disk_gb`,
  );
  const subjects = await subjectsOf(pool, history, runs.asked);
  const dispatcher = await world.start();
  const ask = (question: Question, subject: Subject) => msFor(world, dispatcher, question, subject);
  for (const subject of subjects.slice(0, runs.warmUp)) {
    for (const question of Object.values(QUESTIONS)) await ask(question, subject);
  }
  const figures: Record<string, number> = { ...rows[0], sequential_scans: 0 };
  for (const [name, question] of Object.entries(QUESTIONS)) {
    run.say(name);
    const took: number[] = [];
    for (const subject of subjects) took.push(await ask(question, subject));
    figures[`${name}_p50_ms`] = median(took);
    figures[`${name}_p99_ms`] = quantile(took, 0.99);
  }
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const read: TablesRead[] = [];
    // A busy webhook and a quiet one.
    for (const subject of subjects.slice(0, 2)) {
      await dispatcher.sent();
      await ask(question, subject);
      read.push(await tablesRead(pool, await dispatcher.sent()));
    }
    const scanned = [...new Set(read.flatMap((each) => each.scanned))];
    if (scanned.length > 0) run.say(`${name} reads from end to end: ${scanned.join(', ')}`);
    figures[`${name}_days`] = Math.max(...read.map(({ days }) => days));
    figures[`${name}_rows`] = Math.max(...read.map((each) => each.rows));
    figures['sequential_scans'] = (figures['sequential_scans'] ?? 0) + scanned.length;
  }
  await dispatcher.end('SIGTERM');
  return figures;
}

/** From the request to the last byte of its answer. Throws when that is not the answer. */
async function msFor(
  { issuer }: World,
  { url }: ServiceProcess,
  question: Question,
  subject: Subject,
): Promise<number> {
  const path = question.path(subject);
  const authorization = `Bearer ${issuer.userToken(subject.userId)}`;
  const began = performance.now();
  const answer = await fetch(url + path, { headers: { authorization } });
  const text = await answer.text();
  const ms = performance.now() - began;
  if (answer.status === 200 && question.isAnswered(JSON.parse(text) as Answer, subject)) return ms;
  throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 2_000)}`);
}

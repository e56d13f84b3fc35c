import { BUDGETS } from '../budgets.js';
import { type AppendRuns, measureAppends } from '../eventsourcing/append.js';
import { type IdleRuns, measureIdle } from '../eventsourcing/idle.js';
import { measureOutbox, type OutboxRuns } from '../eventsourcing/outbox.js';
import { measureReaders, type ReaderRuns } from '../eventsourcing/readers.js';
import { type Stack, withStack } from '../own-stack.js';
import type { BenchRun, Figures, Suite } from '../suite.js';

interface Sizes {
  readonly append: AppendRuns;
  readonly outbox: OutboxRuns;
  readonly readers: ReaderRuns;
  readonly idle: IdleRuns;
}

const FULL: Sizes = {
  append: { rounds: 5, turns: 6, turnMs: 250 },
  outbox: { warmUpMs: 20_000, measuredMs: 15_000, drainRows: 200_000 },
  readers: { events: 1_000_000, projected: 200_000 },
  idle: { settleMs: 20_000, watchedMs: 60_000 },
};

const QUICK: Sizes = {
  append: { rounds: 1, turns: 1, turnMs: 20 },
  outbox: { warmUpMs: 0, measuredMs: 200, drainRows: 1_000 },
  readers: { events: 2_000, projected: 1_000 },
  idle: { settleMs: 0, watchedMs: 1_000 },
};

/** Everything that needs no service: appends, outbox, readers. */
export async function measureStore(stack: Stack, run: BenchRun): Promise<Figures> {
  const { append, outbox, readers } = run.quick ? QUICK : FULL;
  run.say('appends beside bare inserts');
  const appends = await measureAppends(await stack.createDatabase(), append);
  run.say('outbox to Kafka');
  const relayed = await measureOutbox(stack, outbox, run);
  run.say('replay and rebuild');
  const read = await measureReaders(await stack.createDatabase(), readers, run);
  return { ...appends, ...relayed, ...read };
}

export const suite: Suite = {
  what: 'the event store, its outbox and its readers; an idle service (5 minutes)',
  budgets: BUDGETS.eventsourcing,
  async run(run) {
    const store = await withStack(run, (stack) => measureStore(stack, run));
    run.say('an idle product');
    const idle = await measureIdle(run, run.quick ? QUICK.idle : FULL.idle);
    return { ...store, ...idle };
  },
};

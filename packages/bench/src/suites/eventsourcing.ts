import { BUDGETS } from '../budgets.js';
import { type AppendRuns, measureAppends } from '../eventsourcing/append.js';
import { type IdleRuns, measureIdle } from '../eventsourcing/idle.js';
import { measureOutbox, type OutboxRuns } from '../eventsourcing/outbox.js';
import { type Stack, withStack } from '../own-stack.js';
import type { BenchRun, Figures, Suite } from '../suite.js';

interface Sizes {
  readonly append: AppendRuns;
  readonly outbox: OutboxRuns;
  readonly idle: IdleRuns;
}

const FULL: Sizes = {
  append: { rounds: 5, turns: 6, turnMs: 250 },
  outbox: { warmUpMs: 20_000, measuredMs: 15_000, drainRows: 200_000 },
  idle: { settleMs: 20_000, watchedMs: 60_000 },
};

const QUICK: Sizes = {
  append: { rounds: 1, turns: 1, turnMs: 20 },
  outbox: { warmUpMs: 0, measuredMs: 200, drainRows: 1_000 },
  idle: { settleMs: 0, watchedMs: 1_000 },
};

/** Measures what needs no service: appends and the outbox. */
export async function measureStore(stack: Stack, run: BenchRun): Promise<Figures> {
  const { append, outbox } = run.quick ? QUICK : FULL;
  run.say('appends beside bare inserts');
  const appends = await measureAppends(await stack.createDatabase(), append);
  run.say('outbox to Kafka');
  const relayed = await measureOutbox(stack, outbox, run);
  return { ...appends, ...relayed };
}

export const suite: Suite = {
  what: 'the event store and its outbox; an idle service (4 minutes)',
  budgets: BUDGETS.eventsourcing,
  async run(run) {
    const store = await withStack(run, (stack) => measureStore(stack, run));
    run.say('an idle product');
    const idle = await measureIdle(run, run.quick ? QUICK.idle : FULL.idle);
    return { ...store, ...idle };
  },
};

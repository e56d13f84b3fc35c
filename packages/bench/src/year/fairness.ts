import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.js';
import type { ApiRequest } from '../dispatch/api.js';
import { fill, trickle } from '../dispatch/events.js';
import { type Latency, latencyAt } from '../dispatch/latency.js';
import type { World } from '../dispatch/world.js';
import { paced } from '../paced.js';
import { processorS } from '../processor-time.js';
import { mean, quantile } from '../statistics.js';
import type { Figures } from '../suite.js';
import { type Asked, answered, asGreedy, askAs } from './asked.js';
import { type Answers, startClients } from './clients.js';
import {
  EVERYDAY,
  emptyPages,
  FILTER_PREVIEW,
  PLAIN_PAGE,
  replayOf,
  STREAMS,
  statistics,
  TEXT_SEARCH,
} from './routes.js';
import { WEBHOOKS_OF_USER, type Year } from './state.js';

/** Requests that are given up before others are looked at. */
const GIVEN_UP = 100;
const GIVEN_UP_MS = 1_000;

const COMPILED_MS = 1_000;

const LIVE_PER_S = 50;
const READS_PER_S = 10;
const STREAMED_PER_S = 10;
const RSS_EVERY_MS = 500;
const SENT_WITHIN_MS = 180_000;
/** Spans that statistics are asked for in turn: more than are remembered. */
const SPANS = 300;

export interface FairnessRuns {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Events that the greedy user's producer publishes at once, for each of the user's webhooks. */
  readonly published: number;
}

interface Measured extends Asked {
  readonly runs: FairnessRuns;
}

/** Begins a load of the greedy user. Returns a function that ends it, and returns how its clients were answered. */
type Load = (asked: Measured) => Promise<() => Promise<Answers>>;

/** Has clients ask for these. Others are looked at once the code of the requests has run, and so is compiled. */
const asking =
  (...requests: readonly ApiRequest[]): Load =>
  async ({ world, year, dispatcher }) => {
    const token = world.issuer.userToken(year.greedy);
    const end = await startClients({ base: dispatcher.url, token, requests });
    await sleep(COMPILED_MS, undefined, { signal: world.run.signal });
    return end;
  };

/** Loads of the greedy user, by the name of their figures. */
const LOADS: Readonly<Record<string, Load>> = {
  text_search: asking(TEXT_SEARCH),
  statistics: asking(...Array.from({ length: SPANS }, (_, n) => statistics(n))),
  empty_lists: asking(...Object.values(emptyPages())),
  filter_preview: asking(FILTER_PREVIEW),

  replay_counts: async (asked) => asking(replayOf(asked.year, false))(asked),

  async replay(asked) {
    const begun = await answered(asked, replayOf(asked.year, true));
    const { operation_id: id } = JSON.parse(begun) as { readonly operation_id: string };
    return async () => {
      await answered(asked, { path: `/api/webhooks/operations/${id}`, method: 'DELETE' });
      return {};
    };
  },

  async streams(asked) {
    const { world, year, runs } = asked;
    const end = await asking(...STREAMS)(asked);
    const rate = { perS: STREAMED_PER_S, seconds: runs.seconds };
    const published = trickle(world.producer, [year.greedy], rate, world.run.signal);
    return async () => {
      await published;
      return end();
    };
  },

  async publish({ world, year, runs: { published } }) {
    const { greedy, greedyReceiver } = year;
    await greedyReceiver.reset();
    await fill(world.producer, { users: [greedy], deliveries: published });
    return async () => {
      await greedyReceiver.received(published * WEBHOOKS_OF_USER, SENT_WITHIN_MS);
      return {};
    };
  },

  /** Others are looked at when all have hung up. */
  async given_up(asked) {
    const signal = AbortSignal.timeout(GIVEN_UP_MS);
    const requests = Array.from({ length: GIVEN_UP }, (_, n) =>
      asGreedy(asked, { ...(n % 2 ? TEXT_SEARCH : statistics(n)), signal }).catch(() => undefined),
    );
    await Promise.all(requests);
    return async () => ({});
  },
};

/**
 * Measures the live deliveries and the reads of others while one user does his worst with each load, beside those right
 * before and after it.
 */
export async function measureFairness(
  world: World,
  year: Year,
  runs: FairnessRuns,
): Promise<Figures> {
  const dispatcher = await world.start();
  const asked: Measured = { world, year, dispatcher, runs, tokens: new Map() };
  await latencyAt(world, year.others, { perS: LIVE_PER_S, seconds: runs.warmUpSeconds });
  const all: Others[] = [];
  const look = async () => {
    const seen = await othersOf(asked);
    all.push(seen);
    return seen;
  };

  const figures: Record<string, number> = {};
  let before = await look();
  for (const [name, load] of Object.entries(LOADS)) {
    asked.tokens.clear();
    // Nothing of the greedy user's limit is used up by the load before.
    await answered(asked, PLAIN_PAGE);
    const end = await load(asked);
    const beside = await look();
    const answers = await end();
    await world.settled();
    const after = await look();
    const seen = besideAlone(beside, [before, after]);
    before = after;
    // 408: Node closes a connection on which no request came; the client may send one at that moment.
    const wrong = Object.keys(answers).filter((status) => /^4(?!08|29)/.test(status));
    if (wrong.length > 0) throw new Error(`The load ${name} was answered ${wrong.join(', ')}.`);
    world.run.say(`${name}, answered ${JSON.stringify(answers)}:`);
    world.run.say(`  ${inWords(beside)}, after it ${inWords(after)}`);
    for (const [of, value] of Object.entries(seen)) {
      figures[`${name}_${of}`] = value;
      figures[`fair_${of}`] = Math.max(value, figures[`fair_${of}`] ?? Number.NEGATIVE_INFINITY);
    }
  }
  await dispatcher.end('SIGTERM');
  return {
    ...figures,
    fair_refused: all.flatMap((each) => each.refused).length,
    fair_rss_mb: Math.max(...all.map(({ rssMb }) => rssMb)),
  };
}

const inWords = ({ live, reads, refused, cores, postgresCores, load }: Others): string =>
  `live ${msOf(live)}, reads ${msOf(reads)}, refused ${JSON.stringify(refused)}, ` +
  `cores ${cores.toFixed(2)} and ${postgresCores.toFixed(2)}, load ${load}`;

const msOf = ({ p50, p99 }: Latency): string => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`;

/** Compares with what others see alone, before and after. */
const besideAlone = (beside: Others, alone: readonly Others[]) =>
  Object.fromEntries(
    (['live', 'reads'] as const).flatMap((of) => {
      const aloneMs = (p: keyof Latency) => mean(alone.map((each) => each[of][p]));
      return [
        [`${of}_p50_ratio`, beside[of].p50 / aloneMs('p50')],
        [`${of}_p99_more_ms`, beside[of].p99 - aloneMs('p99')],
      ];
    }),
  ) as Readonly<Record<string, number>>;

/** Latencies that others see, and the highest resident memory meanwhile. */
interface Others {
  readonly live: Latency;
  readonly reads: Latency;
  /** Statuses of their reads other than 200; 0: there was no answer. */
  readonly refused: readonly number[];
  readonly rssMb: number;
  /** Cores that the dispatcher and Postgres had, and the load of the machine (of one minute). */
  readonly cores: number;
  readonly postgresCores: number;
  readonly load: number;
}

async function othersOf(asked: Measured): Promise<Others> {
  const { world, year, dispatcher, runs } = asked;
  const { backends, run } = world;
  const { seconds } = runs;
  const used = async () => ({
    atS: nowMs() / 1_000,
    own: (await dispatcher.used()).cpuS,
    postgres: processorS(backends.pids().postgres),
  });
  const before = await used();
  const refused: number[] = [];
  const read = async (n: number) => {
    const request = EVERYDAY[n % EVERYDAY.length] ?? PLAIN_PAGE;
    const reader = year.others[n % year.others.length] ?? '';
    const answer = await askAs(asked, reader, request).catch(() => undefined);
    if (answer?.status !== 200) refused.push(answer?.status ?? 0);
  };
  let isOver = false;
  const watched = (async () => {
    let rssMb = 0;
    while (!isOver) {
      rssMb = Math.max(rssMb, (await dispatcher.used()).rssMb);
      await sleep(RSS_EVERY_MS, undefined, { signal: run.signal });
    }
    return rssMb;
  })();
  try {
    const [live, readsMs] = await Promise.all([
      latencyAt(world, year.others, { perS: LIVE_PER_S, seconds }),
      paced(read, { perS: READS_PER_S, seconds }, run.signal),
    ]);
    const reads = { p50: quantile(readsMs, 0.5), p99: quantile(readsMs, 0.99) };
    isOver = true;
    const after = await used();
    const tookS = after.atS - before.atS;
    return {
      live,
      reads,
      refused,
      rssMb: await watched,
      cores: (after.own - before.own) / tookS,
      postgresCores: (after.postgres - before.postgres) / tookS,
      load: loadavg()[0] ?? Number.NaN,
    };
  } finally {
    isOver = true;
  }
}

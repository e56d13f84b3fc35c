import type { ApiRequest } from '../dispatch/api.js';
import type { World } from '../dispatch/world.js';
import { processorS } from '../processor-time.js';
import type { Figures } from '../suite.js';
import { type Asked, answered } from './asked.js';
import {
  emptyPages,
  FILTER_PREVIEW,
  heavyPage,
  PLAIN_PAGE,
  replayOf,
  statistics,
  TEXT_SEARCH,
} from './routes.js';
import type { Year } from './state.js';

/** Calls that are counted of each request, after one that is not. */
const CALLS = 12;

/** Measures the processor time that requests of a user with much take, and that of a page found by an index. */
export async function measureCosts(world: World, year: Year): Promise<Figures> {
  const { pids } = world.backends;
  const dispatcher = await world.start();
  const asked: Asked = { world, year, dispatcher, tokens: new Map() };
  const used = async () => ({
    own: (await dispatcher.used()).cpuS,
    postgres: processorS(pids().postgres),
  });
  const costOf = async (requestOf: (n: number) => ApiRequest) => {
    await answered(asked, requestOf(0));
    const before = await used();
    for (let n = 1; n <= CALLS; n++) await answered(asked, requestOf(n));
    const after = await used();
    const own = ((after.own - before.own) / CALLS) * 1_000;
    return { own, all: own + ((after.postgres - before.postgres) / CALLS) * 1_000 };
  };
  // Once for nothing: the code of requests is compiled by then.
  await costOf(() => PLAIN_PAGE);
  const plain = await costOf(() => PLAIN_PAGE);
  const numbers = await costOf(statistics);
  const empty = emptyPages();
  const all: Record<string, number> = { page: plain.all, statistics: numbers.all };
  const others = {
    ...empty,
    heavy_page: heavyPage(year),
    filter_preview: FILTER_PREVIEW,
    replay_count: replayOf(year, false),
    text_search: TEXT_SEARCH,
  };
  for (const [name, request] of Object.entries(others)) {
    all[name] = (await costOf(() => request)).all;
  }
  await dispatcher.end('SIGTERM');
  const dearest = Math.max(...Object.keys(empty).map((name) => all[name] ?? Number.NaN));
  return {
    ...Object.fromEntries(Object.entries(all).map(([name, ms]) => [`${name}_cpu_ms`, ms])),
    statistics_cpu_ratio: numbers.own / plain.own,
    empty_page_cpu_ratio: dearest / plain.all,
  };
}

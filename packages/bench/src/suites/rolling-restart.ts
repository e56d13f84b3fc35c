import { rollingRestart } from '@junction/acceptance';
import { BUDGETS } from '../budgets.js';
import type { Suite } from '../suite.js';

export const suite: Suite = {
  what: 'a rolling restart of six processes under load, two of each service behind nginx (2 minutes)',
  budgets: BUDGETS['rolling-restart'],

  async run({ env, say }) {
    const { restarts, failures, requests, rpcs, askedTwice, events, seconds } =
      await rollingRestart(env);
    for (const failure of failures) say(failure);
    const lost = events.published - events.delivered;
    if (failures.length > 0 || lost > 0) {
      throw new Error(`${failures.length} requests failed and ${lost} events were lost.`);
    }
    return {
      requests,
      rpcs,
      asked_twice: askedTwice,
      published_events: events.published,
      duplicated_events: events.duplicated,
      delivery_p50_ms: events.medianMs,
      delivery_max_ms: events.slowestMs,
      stop_max_ms: Math.max(...restarts.map(({ stopMs }) => stopMs)),
      start_max_ms: Math.max(...restarts.map(({ startMs }) => startMs)),
      all_restarts_s: seconds,
    };
  },
};

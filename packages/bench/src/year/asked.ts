import { until } from '../clock.js';
import { type ApiRequest, askApi } from '../dispatch/api.js';
import type { World } from '../dispatch/world.js';
import type { ServiceProcess } from '../service-process.js';
import type { Year } from './state.js';

const ANSWERED_WITHIN_MS = 60_000;

/** A dispatcher in that state, and the ways in which users ask it. */
export interface Asked {
  readonly world: World;
  readonly year: Year;
  readonly dispatcher: ServiceProcess;
  /** The users' access tokens: a client asks with one for minutes. */
  readonly tokens: Map<string, string>;
}

/** Asks again while the greedy user has asked for too much. Returns the answer. */
export async function answered(asked: Asked, request: ApiRequest): Promise<string> {
  const attempt = async () => {
    const { status, text } = await asGreedy(asked, request);
    if (status >= 300 && status !== 429) throw new Error(`${request.path}: ${status} ${text}`);
    return status === 429 ? undefined : text;
  };
  const { signal } = asked.world.run;
  const patience = { deadlineMs: ANSWERED_WITHIN_MS, everyMs: 1_000, signal };
  return until(`An answer of ${request.path}`, attempt, patience);
}

export const asGreedy = (asked: Asked, request: ApiRequest) =>
  askAs(asked, asked.year.greedy, request);

export function askAs({ world, dispatcher, tokens }: Asked, userId: string, request: ApiRequest) {
  const token = tokens.get(userId) ?? world.issuer.userToken(userId);
  tokens.set(userId, token);
  return askApi(dispatcher.url, token, request);
}

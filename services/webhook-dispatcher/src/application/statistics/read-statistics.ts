import { findWebhook } from '../find-webhook.js';
import type { Ports } from '../ports.js';
import type { LastAttempt, Span, Step, StepCount, SummedHour, Unsent } from './ports.js';

type StatisticsPorts = Pick<Ports, 'webhooks' | 'statistics'>;

export interface TimeSpan extends Span {
  /** Present: responses are counted by it. */
  readonly step?: Step | undefined;
}

export interface ReadStatistics {
  /** Hours in which something was counted, the oldest first. */
  readonly hours: readonly SummedHour[];
  readonly unsent: Unsent;
  /** Attempt that began last, within the span or before; undefined: none was made. */
  readonly last: LastAttempt | undefined;
  /** Present when a step was requested. */
  readonly steps?: readonly StepCount[] | undefined;
}

/** Returns the statistics of a webhook. @throws AppError `webhook_not_found` */
export const readStatistics =
  (ports: StatisticsPorts) =>
  async (userId: string, webhookId: string, span: TimeSpan): Promise<ReadStatistics> => {
    await findWebhook(ports)(userId, webhookId);
    return statisticsOf(ports, [webhookId], span);
  };

/** Returns the statistics of all webhooks that the user has. */
export const readAllStatistics =
  (ports: StatisticsPorts) =>
  async (userId: string, span: TimeSpan): Promise<ReadStatistics> =>
    statisticsOf(ports, await ports.webhooks.ids(userId), span);

/** Statistics of one webhook among several. */
export interface WebhookStatistics extends ReadStatistics {
  /** Marks of its last attempts, oldest first; see domain/statistics/marks.ts. */
  readonly marks: string;
}

export interface ReadEachStatistics extends ReadStatistics {
  /** Statistics of each webhook by itself. */
  readonly each: ReadonlyMap<string, WebhookStatistics>;
}

/** Returns the statistics of those of these webhooks that the user has. */
export const readEachStatistics =
  (ports: StatisticsPorts) =>
  async (
    userId: string,
    webhookIds: readonly string[],
    span: TimeSpan,
  ): Promise<ReadEachStatistics> => {
    const owned = new Set(await ports.webhooks.ids(userId));
    const ids = [...new Set(webhookIds)].filter((id) => owned.has(id));
    const [{ attempts, ...all }, hours, unsent, marks] = await Promise.all([
      statisticsOf(ports, ids, span),
      ports.statistics.hoursOfEach(ids, span),
      ports.statistics.unsentOfEach(ids),
      ports.statistics.marksOfEach(ids),
    ]);
    const hoursOf = new Map<string, SummedHour[]>(ids.map((id) => [id, []]));
    for (const hour of hours) hoursOf.get(hour.webhookId)?.push(hour);
    const last = new Map(attempts.map((attempt) => [attempt.webhook_id, attempt]));
    const numbersOf = (id: string): WebhookStatistics => ({
      hours: hoursOf.get(id) ?? [],
      unsent: unsent.get(id) ?? { waiting: 0, held: 0 },
      last: last.get(id),
      marks: marks.get(id) ?? '',
    });
    return { ...all, each: new Map(ids.map((id) => [id, numbersOf(id)])) };
  };

async function statisticsOf(
  { statistics }: StatisticsPorts,
  webhookIds: readonly string[],
  { from, to, step }: TimeSpan,
): Promise<ReadStatistics & { readonly attempts: readonly LastAttempt[] }> {
  const [hours, unsent, attempts, steps] = await Promise.all([
    statistics.hours(webhookIds, { from, to }),
    statistics.unsent(webhookIds),
    statistics.lastAttempts(webhookIds),
    step && statistics.responses(webhookIds, { from, to, step }),
  ]);
  return { hours, unsent, last: attempts[0], attempts, steps };
}

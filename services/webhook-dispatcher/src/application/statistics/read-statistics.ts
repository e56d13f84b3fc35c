import { findWebhook } from '../find-webhook.js';
import type { Ports } from '../ports.js';
import type { WebhookHour } from './ports.js';

type StatisticsPorts = Pick<Ports, 'webhooks' | 'statistics'>;

export interface TimeSpan {
  readonly from: Date;
  readonly to: Date;
}

export interface ReadStatistics {
  /** Hours in which something was attempted, the oldest first. Of several webhooks each has hours of its own. */
  readonly hours: readonly WebhookHour[];
  /** Number of deliveries that wait for an attempt now, 10,000 when there are more. */
  readonly waiting: number;
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

export interface ReadEachStatistics extends ReadStatistics {
  /** Statistics of each webhook by itself. */
  readonly each: ReadonlyMap<string, ReadStatistics>;
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
    const [all, waiting] = await Promise.all([
      statisticsOf(ports, ids, span),
      ports.statistics.waitingOfEach(ids),
    ]);
    const numbersOf = (id: string): ReadStatistics => ({
      hours: all.hours.filter(({ webhookId }) => webhookId === id),
      waiting: waiting.get(id) ?? 0,
    });
    return { ...all, each: new Map(ids.map((id) => [id, numbersOf(id)])) };
  };

async function statisticsOf(
  { statistics }: StatisticsPorts,
  webhookIds: readonly string[],
  { from, to }: TimeSpan,
): Promise<ReadStatistics> {
  const [hours, waiting] = await Promise.all([
    statistics.hours(webhookIds, from, to),
    statistics.waiting(webhookIds),
  ]);
  return { hours, waiting };
}

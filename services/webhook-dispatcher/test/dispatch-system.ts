import { jest } from '@jest/globals';
import { type Answers, type Replica, startReplica } from './dispatch-replica.js';
import { DispatchRules } from './dispatch-rules.js';
import { DispatchTable, type WebhookChange, type WebhookState } from './dispatch-table.js';

const SECOND = 1_000;
const DELAYS_MS = [SECOND, 4 * SECOND];
/** Attempts for a webhook without a schedule of its own. */
export const ATTEMPTS_MAX = DELAYS_MS.length + 1;

/** Two dispatchers on one table, and receivers that answer as they are told. */
export interface System {
  readonly table: DispatchTable;
  readonly rules: DispatchRules;
  readonly answers: Map<string, Answers>;
  readonly replicas: Replica[];
  /** Starts one in the place of another. */
  readonly replace: (index: number) => Promise<void>;
  /** Kills every replica that was ever started, and all that would still happen. */
  readonly end: () => void;
}

export async function startSystem(webhooks: readonly WebhookState[]): Promise<System> {
  const table = new DispatchTable(webhooks);
  const rules = new DispatchRules(table, DELAYS_MS);
  for (const webhook of webhooks) rules.changed(webhook, undefined);
  const answers = new Map<string, Answers>();
  const replicas: Replica[] = [];
  const started: Replica[] = [];
  let chances = 0;
  const replace = async (index: number) => {
    const replica = await startReplica(`replica ${started.length + 1}`, {
      table,
      rules,
      delaysMs: DELAYS_MS,
      answersOf: (id) => answers.get(id) ?? 'well',
      // Not random: a run is to be the same again by its seed.
      chance: () => (chances++ % 10) / 10,
      notifyOthers(from) {
        for (const one of replicas) if (one.owner !== from.owner) one.dispatch.wake();
      },
    });
    started.push(replica);
    replicas[index] = replica;
  };
  await replace(0);
  await replace(1);
  const end = () => {
    for (const { kill } of started) kill();
    jest.clearAllTimers();
  };
  return { table, rules, answers, replicas, replace, end };
}

export const newWebhook = (webhookId: string, options: Partial<WebhookState>): WebhookState => ({
  webhookId,
  shard: 0,
  version: 1,
  url: `https://receiver.example/${webhookId}`,
  status: 'active',
  secrets: [{ version: 1, text: `${webhookId} 1` }],
  ordered: false,
  rateLimit: undefined,
  delaysMs: undefined,
  rest: undefined,
  ...options,
});

/** Changes a webhook through one of the replicas. */
export function change(
  { table, rules, replicas }: System,
  at: number,
  id: string,
  to: WebhookChange,
): void {
  const changed = table.webhook(id);
  table.change(changed, to);
  rules.changed(changed, replicas[at]);
  replicas[at]?.dispatch.webhookChanged(id);
}

/** Has what waits for a webhook attempted now, through one of the replicas. */
export function attemptNow({ table, replicas }: System, at: number, id: string): void {
  table.attemptNow(table.webhook(id));
  replicas[at]?.dispatch.webhookChanged(id);
}

/** Lets time pass, and everything happen that this brings about. */
export async function pass(ms: number): Promise<void> {
  let isOver = false;
  setTimeout(() => void (isOver = true), ms);
  do {
    await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersToNextTimer();
  } while (!isOver);
  await new Promise((resolve) => setImmediate(resolve));
}

import { BREAKER_SETTINGS, circuitBreakers } from '../src/adapters/webhook/circuit-breakers.js';
import type { AttemptRecord, Job, Result, Target } from '../src/application/job.js';
import { startDispatch } from '../src/application/sending/dispatch.js';
import { judgeWith } from '../src/application/sending/judge.js';
import type {
  CircuitChange,
  Circuits,
  Dispatch,
  OnCircuitChange,
} from '../src/application/sending/ports.js';
import type { DispatchRules, Sender } from './dispatch-rules.js';
import { type DispatchTable, leasesIn } from './dispatch-table.js';

const BREAKER = { ...BREAKER_SETTINGS, resetMs: 2_000, resetMaxMs: 8_000 };

/** The way in which a receiver answers. */
export type Answers = keyof typeof RECORDS;

/** The table, the rules and the receivers that all replicas have in common. */
export interface Surroundings {
  readonly table: DispatchTable;
  readonly rules: DispatchRules;
  readonly delaysMs: readonly number[];
  readonly answersOf: (webhookId: string) => Answers;
  readonly chance: () => number;
  readonly notifyOthers: (from: Sender) => void;
}

/** A dispatcher on the table, whole: it can be killed, and cut off from its database. */
export interface Replica extends Sender {
  readonly dispatch: Dispatch;
  /** Puts a question to its database. */
  readonly ask: <T>(question: () => T) => Promise<T>;
  /** Nothing that it asked for is ever answered, and nothing it does is ever seen. */
  kill(): void;
  /** Makes the statements of the replica fail, or stay unanswered, until that time. */
  cutOff(how: 'failing' | 'silent', untilMs: number): void;
}

const READ_MS = 30;

export class DatabaseAway extends Error {}

export async function startReplica(owner: string, around: Surroundings): Promise<Replica> {
  const { table, rules, delaysMs, chance, notifyOthers } = around;
  const road = roadToDatabase();
  const { ask, read } = road;
  const sender: Sender = { owner, heardOfAllMs: 0 };
  const write = (result: Result) => {
    rules.writing(result);
    table.write(owner, result);
  };
  const writeAll = async (results: readonly Result[]) => ask(() => results.forEach(write));
  const writeGone = async (result: Result) => {
    await ask(() => {
      const { job, version, otherwise } = result;
      const hasChanged = table.webhook(job.webhookId).version !== version;
      if (hasChanged && otherwise) return write({ ...result, fact: otherwise });
      write(result);
      disable(job.webhookId, sender, around);
    });
    dispatch.webhookChanged(result.job.webhookId);
  };
  const endPending = (webhookId: string, ending: 'held' | 'cancelled') =>
    void ask(() => table.endPending(webhookId, ending)).catch(() => undefined);

  const dispatch: Dispatch = await startDispatch({
    owner,
    ...leasesIn(table, owner, ask),
    readDue: async (query) => read(() => table.due(query)),
    lookAgain: async (shards) => ask(() => table.lookAgain(shards)),
    readOrdered: async (ids) => read(() => table.ordered(ids)),
    changedWebhooks: async (known, since) => read(() => table.changed(known, since)),
    loadTargets: async (ids) => read(() => table.targets(ids)),
    endPending,
    send: (job, target, ended) =>
      void send(job, target, { sender, road, around }).then(ended, (error) =>
        ended(undefined, error),
      ),
    judge: judgeWith({ delaysMs }, () => new Date(), chance),
    write: {
      attempts: writeAll,
      exhausted: writeAll,
      refused: writeAll,
      async gone(results) {
        for (const result of results) await writeGone(result);
      },
    },
    circuits: (onChange) => watchedCircuits(sender, rules, onChange),
    onCircuitChange(webhookId, change, lastSent) {
      rules.keepingCircuit(sender, webhookId, change);
      const keep = () => keepCircuit({ webhookId, version: lastSent?.version }, change, table);
      void ask(keep).catch(() => undefined);
    },
    notifyOthers: () => notifyOthers(sender),
    onShards() {},
    monotonicMs: () => Date.now(),
    onError(error) {
      if (!(error instanceof DatabaseAway)) rules.broken.push(String(error));
    },
  });
  return Object.assign(sender, {
    dispatch,
    ask,
    kill: road.end,
    cutOff(how: 'failing' | 'silent', untilMs: number) {
      // A new cut does not end before an earlier one: statements that met silence stay unanswered until the later end.
      sender.heardOfAllMs = Math.max(sender.heardOfAllMs, untilMs);
      road.cut(how, sender.heardOfAllMs);
    },
  });
}

function disable(webhookId: string, by: Sender, { table, rules }: Surroundings): void {
  const webhook = table.webhook(webhookId);
  if (webhook.status === 'disabled' || webhook.status === 'deleted') return;
  table.change(webhook, { status: 'disabled' });
  rules.changed(webhook, by);
}

function watchedCircuits(
  sender: Sender,
  rules: DispatchRules,
  onChange: OnCircuitChange,
): Circuits {
  const circuits = circuitBreakers(BREAKER, (webhookId, change) => {
    rules.circuitChanged(sender, webhookId, change);
    onChange(webhookId, change);
  });
  return {
    ...circuits,
    restore(webhookId, rest) {
      circuits.restore(webhookId, rest);
      if (circuits.isOpen(webhookId))
        rules.circuitChanged(sender, webhookId, { to: 'open', ...rest });
    },
    drop(webhookId) {
      rules.circuitForgotten(sender, webhookId);
      circuits.drop(webhookId);
    },
  };
}

/**
 * Stores circuits as the service does: a half-open circuit stays stored as open, and no change of a circuit changes the
 * webhook's version.
 */
function keepCircuit(
  { webhookId, version }: { readonly webhookId: string; readonly version: number | undefined },
  change: CircuitChange,
  table: DispatchTable,
): void {
  const webhook = table.webhook(webhookId);
  if (change.to === 'open' && version !== undefined && webhook.version !== version) return;
  if (change.to === 'half-open' || webhook.status === 'deleted') return;
  webhook.rest = change.to === 'open' ? change : undefined;
}

interface Sending {
  readonly sender: Sender;
  readonly road: Road;
  readonly around: Surroundings;
}

async function send(
  job: Job,
  target: Target,
  { sender, road, around: { rules, answersOf } }: Sending,
): Promise<AttemptRecord> {
  if (road.isDead()) return new Promise(() => {});
  rules.sending(sender, job, target);
  const startedAt = new Date();
  const record = RECORDS[answersOf(job.webhookId)];
  await new Promise((resolve) => setTimeout(resolve, record.totalMs));
  // The receiver has it, whether anybody lives to hear of that or not.
  rules.answered(sender, job, target, record);
  if (road.isDead()) await new Promise(() => {});
  return { ...record, startedAt };
}

type Road = ReturnType<typeof roadToDatabase>;

function roadToDatabase() {
  let isDead = false;
  let cut = { how: 'failing', untilMs: 0 };
  const passable = async () => {
    await Promise.resolve();
    if (isDead) await new Promise(() => {});
    const waitMs = cut.untilMs - Date.now();
    if (waitMs <= 0) return;
    if (cut.how === 'failing') throw new DatabaseAway();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (isDead) await new Promise(() => {});
  };
  const ask = async <T>(question: () => T): Promise<T> => {
    await passable();
    return question();
  };
  return {
    isDead: () => isDead,
    end: () => void (isDead = true),
    cut: (how: 'failing' | 'silent', untilMs: number) => void (cut = { how, untilMs }),
    ask,
    /** Reads from the database. The answer is a moment old when it arrives. */
    async read<T>(question: () => T): Promise<T> {
      const answer = await ask(question);
      await new Promise((resolve) => setTimeout(resolve, READ_MS));
      await passable();
      return answer;
    },
  };
}

const RECORDS = {
  well: record({ kind: 'succeeded' }, 200, 5),
  'well, but late': record({ kind: 'succeeded' }, 200, 1_200),
  badly: record({ kind: 'failed', reason: 'http_500', retryAfterMs: 0 }, 500, 5),
  'that it is unknown': record({ kind: 'failed', reason: 'http_404', retryAfterMs: 0 }, 404, 5),
  'that it is busy': record({ kind: 'failed', reason: 'http_429', retryAfterMs: 8_000 }, 429, 5),
  'that it is gone': record({ kind: 'gone' }, 410, 5),
  never: record({ kind: 'failed', reason: 'timeout', retryAfterMs: 0 }, null, 7_000),
};

function record(outcome: AttemptRecord['outcome'], httpStatus: number | null, totalMs: number) {
  return {
    outcome,
    result: outcome.kind,
    httpStatus,
    headersMs: httpStatus && 1,
    totalMs,
    connection: { dnsMs: null, connectMs: null, tlsMs: null },
    headers: Buffer.alloc(0),
    sample: Buffer.alloc(0),
  };
}

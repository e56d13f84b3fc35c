import type { Held } from '@junction/eventsourcing/leases';
import type { Job, Rest, Result, Secret, Target } from '../src/application/job.js';
import type { DueQuery, DueWork, OrderedWork } from '../src/application/sending/due-work.js';
import type { DispatchOptions } from '../src/application/sending/ports.js';
import type { WebhookStatus } from '../src/domain/webhook/events.js';

export type End = 'succeeded' | 'exhausted' | 'held' | 'cancelled';

/** A delivery: what waits of it, and what became of it. */
export interface Row {
  readonly job: Job;
  /** Number of the next attempt. */
  attempt: number;
  nextAtMs: number;
  end: End | undefined;
}

export interface WebhookState {
  readonly webhookId: string;
  readonly shard: number;
  version: number;
  url: string;
  /** deleted: its row is gone, and what waits for it not yet. */
  status: WebhookStatus | 'deleted';
  ordered: boolean;
  rateLimit: number | undefined;
  /** Before each retry; undefined: as for all. */
  delaysMs: readonly number[] | undefined;
  secrets: readonly Secret[];
  /** Rest of the webhook's circuit while that circuit is open. */
  rest: Rest | undefined;
}

export type WebhookChange = Partial<
  Pick<WebhookState, 'url' | 'status' | 'secrets' | 'ordered' | 'rateLimit' | 'delaysMs'>
>;

interface Lease {
  owner: string | undefined;
  epoch: number;
  untilMs: number;
}

const LEASE_MS = 6_000;
const SHARDS = 48;
/** Small, so that few deliveries make a backlog. */
const LOOKED_MAX = 2;
const TURN_ROWS = 8;
const PUT_OFF_MS = 60_000;
const HEAD_ROWS_MAX = 6;

/** The tables of the dispatcher in memory: the same queries get the same answers as from Postgres. */
export class DispatchTable {
  /** In the order in which they were filed. */
  readonly rows = new Map<string, Row>();
  /** Deliveries that nothing is written of: the topic has their records. */
  readonly log = new Map<string, Job>();
  readonly #webhooks: Map<string, WebhookState>;
  readonly #leases: readonly Lease[];
  readonly #alive = new Map<string, number>();
  /** Webhooks to look at, and when. */
  readonly #due = new Map<string, { atMs: number; keptUnder: number | undefined }>();
  #indexVersion = 0;
  /** Version of the index that the last change of each webhook made, by webhook. */
  readonly #touched = new Map<string, number>();

  constructor(webhooks: readonly WebhookState[]) {
    this.#webhooks = new Map(webhooks.map((webhook) => [webhook.webhookId, webhook]));
    this.#leases = Array.from({ length: SHARDS }, () => ({
      owner: undefined,
      epoch: 0,
      untilMs: 0,
    }));
  }

  webhook(webhookId: string): WebhookState {
    const found = this.#webhooks.get(webhookId);
    if (found === undefined) throw new Error(`There is no webhook ${webhookId}.`);
    return found;
  }

  /** Returns the webhooks that are not deleted. */
  live(): readonly WebhookState[] {
    return [...this.#webhooks.values()].filter(({ status }) => status !== 'deleted');
  }

  add(webhook: WebhookState): void {
    this.#webhooks.set(webhook.webhookId, webhook);
    this.#indexVersion++;
  }

  change(webhook: WebhookState, change: WebhookChange): void {
    // Failures at the old address say nothing about the new one.
    if (change.url !== undefined && change.url !== webhook.url) webhook.rest = undefined;
    Object.assign(webhook, change);
    webhook.version++;
    this.attemptHeadNow(webhook);
  }

  /** True of an ordered webhook: what waits behind the oldest waits for the next attempt of that. */
  attemptHeadNow({ webhookId, ordered }: WebhookState): void {
    this.#touched.set(webhookId, ++this.#indexVersion);
    const head = this.waiting().find(({ job }) => job.webhookId === webhookId);
    if (ordered && head) this.#bringForward(head);
  }

  /** Makes everything due that waits for the webhook. */
  attemptNow(webhook: WebhookState): void {
    for (const row of this.waiting()) {
      if (row.job.webhookId === webhook.webhookId) this.#bringForward(row);
    }
    this.attemptHeadNow(webhook);
  }

  file(job: Job): void {
    const { status } = this.webhook(job.webhookId);
    const end = status === 'disabled' ? 'held' : undefined;
    const row: Row = { job, attempt: 1, nextAtMs: Date.now(), end };
    this.rows.set(job.deliveryId, row);
    this.#noteDue(row);
  }

  /** Files a delivery that was sent before anything of it was written. `end` is given if its attempt succeeded. */
  fileSent(job: Job, end: End | undefined): void {
    if (!this.log.delete(job.deliveryId) || this.rows.has(job.deliveryId)) return;
    this.file(job);
    const row = this.rows.get(job.deliveryId);
    if (row && end) row.end = end;
  }

  waiting(): readonly Row[] {
    return [...this.rows.values()].filter(({ end }) => end === undefined);
  }

  due(query: DueQuery): DueWork {
    const { shards, webhookIds, exceptWebhooks, exceptDeliveries, limit } = query;
    const waiting = this.waiting();
    const come = this.#comeOf(query);
    const looked = come.slice(0, Math.min(LOOKED_MAX, limit - webhookIds.length));
    const open = [...new Set([...looked, ...webhookIds])].filter(
      (id) => !exceptWebhooks.includes(id),
    );
    const found = open.map((id) => {
      const ours = waiting.filter(({ job }) => job.webhookId === id);
      return { id, rows: dueOf(ours, exceptDeliveries) };
    });
    const rows = found.flatMap((one) => one.rows.slice(0, TURN_ROWS)).slice(0, limit);
    const isAll = ({ rows: due }: { rows: readonly Row[] }) =>
      due.length < TURN_ROWS && due.every((row) => rows.includes(row));
    const all = found.filter(isAll).map(({ id }) => id);
    for (const id of looked) this.#putOff(id, query);
    const later = [...this.#due].filter(([id]) => shards.includes(this.webhook(id).shard));
    const waits = later.map(([, { atMs }]) => atMs - Date.now()).filter((ms) => ms > 0);
    return {
      indexVersion: String(this.#indexVersion),
      freeShards: this.#leases.some(({ owner, untilMs }) => !owner || untilMs <= Date.now()),
      isMore: come.length > looked.length,
      soonestMs: waits.length > 0 ? Math.min(...waits) : undefined,
      jobs: rows.map(toJob),
      all,
      left: looked.filter((id) => !all.includes(id)),
    };
  }

  lookAgain(shards: readonly number[]): void {
    for (const [id, due] of this.#due) {
      if (due.keptUnder !== undefined && shards.includes(this.webhook(id).shard)) {
        this.#due.set(id, { atMs: Math.min(due.atMs, Date.now()), keptUnder: undefined });
      }
    }
  }

  ordered(webhookIds: readonly string[]): OrderedWork {
    const heads = webhookIds.flatMap((id) => {
      const rows = this.waiting().filter(({ job }) => job.webhookId === id);
      const [oldest] = rows;
      if (oldest === undefined) return [];
      const notDue = rows.findIndex(({ nextAtMs }) => nextAtMs > Date.now());
      const due = rows.slice(0, notDue === -1 ? HEAD_ROWS_MAX : Math.min(notDue, HEAD_ROWS_MAX));
      const waitMs = Math.max(0, oldest.nextAtMs - Date.now());
      return [[id, { waitMs, jobs: due.map(toJob) }] as const];
    });
    return new Map(heads);
  }

  targets(webhookIds: readonly string[]): ReadonlyMap<string, Target> {
    const found = webhookIds.map((id) => this.webhook(id)).flatMap(targetOf);
    return new Map(found.map((target) => [target.webhookId, target]));
  }

  changed(known: ReadonlyMap<string, number>, sinceIndexVersion = '0'): readonly string[] {
    const isOther = ([id, version]: [string, number]) => {
      const webhook = this.webhook(id);
      const isTouched = (this.#touched.get(id) ?? 0) > Number(sinceIndexVersion);
      return isTouched || webhook.status === 'deleted' || webhook.version !== version;
    };
    return [...known].filter(isOther).map(([id]) => id);
  }

  endPending(webhookId: string, ending: 'held' | 'cancelled'): void {
    if (this.webhook(webhookId).status !== (ending === 'held' ? 'disabled' : 'deleted')) return;
    for (const row of this.waiting()) if (row.job.webhookId === webhookId) row.end = ending;
  }

  /** Gives false where another has the lease. */
  write(owner: string, { job, epoch, fact }: Result): boolean {
    const lease = this.#leases[job.shard];
    if (lease?.owner !== owner || String(lease.epoch) !== epoch) return false;
    const row = this.rows.get(job.deliveryId);
    if (row === undefined) return false;
    if (fact.type === 'delivery.succeeded') row.end = 'succeeded';
    if (fact.type === 'delivery.exhausted') row.end = 'exhausted';
    if (fact.type === 'delivery.attempt_failed' && row.attempt === job.attempt) {
      row.attempt++;
      row.nextAtMs = Date.now() + fact.data.delayMs;
      this.#noteDue(row);
    }
    return true;
  }

  /** Returns true while the owner holds the lease of the shard, and no other replica may send for it. */
  isHeldBy(owner: string, shard: number): boolean {
    const lease = this.#leases[shard];
    return lease?.owner === owner && lease.untilMs > Date.now();
  }

  epochOf(shard: number): number {
    return this.#leases[shard]?.epoch ?? 0;
  }

  announce(owner: string) {
    this.#alive.set(owner, Date.now() + LEASE_MS);
    const alive = [...this.#alive].filter(([, untilMs]) => untilMs > Date.now());
    return alive.map(([name, untilMs]) => ({
      owner: name,
      attributes: { partitions: [] },
      expiresInMs: untilMs - Date.now(),
    }));
  }

  hold(owner: string, shards: readonly number[]): readonly Held<number>[] {
    return shards.flatMap((shard) => {
      const lease = this.#leases[shard];
      const isFree = !lease?.owner || lease.untilMs <= Date.now();
      if (lease === undefined || (lease.owner !== owner && !isFree)) return [];
      if (lease.owner !== owner) lease.epoch++;
      lease.owner = owner;
      lease.untilMs = Date.now() + LEASE_MS;
      return [{ key: shard, epoch: String(lease.epoch) }];
    });
  }

  release(owner: string, shards?: readonly number[]): void {
    for (const [shard, lease] of this.#leases.entries()) {
      if (lease.owner === owner && shards?.includes(shard) !== false) lease.owner = undefined;
    }
  }

  retire(owner: string): void {
    this.#alive.delete(owner);
  }

  #bringForward(row: Row): void {
    row.nextAtMs = Math.min(row.nextAtMs, Date.now());
    this.#noteDue(row);
  }

  #noteDue({ job: { webhookId }, nextAtMs }: Row): void {
    const { atMs, keptUnder } = this.#due.get(webhookId) ?? {
      atMs: nextAtMs,
      keptUnder: undefined,
    };
    this.#due.set(webhookId, { atMs: Math.min(atMs, nextAtMs), keptUnder });
  }

  /** Returns the webhooks whose time has come, or that were left to an earlier epoch, in the order of their times. */
  #comeOf(query: DueQuery): readonly string[] {
    return [...this.#due]
      .filter(([id, { atMs, keptUnder }]) => {
        const epoch = epochOf(query, this.webhook(id).shard);
        const isKept = keptUnder !== undefined && epoch !== undefined && keptUnder < epoch;
        return epoch !== undefined && (atMs <= Date.now() || isKept);
      })
      .toSorted(([, one], [, other]) => one.atMs - other.atMs)
      .map(([id]) => id);
  }

  #putOff(webhookId: string, query: DueQuery): void {
    const ours = this.waiting().filter(({ job }) => job.webhookId === webhookId);
    const later = ours.map(({ nextAtMs }) => nextAtMs).filter((ms) => ms > Date.now());
    const isDue = later.length < ours.length;
    const atMs = Math.min(...later, isDue ? Date.now() + PUT_OFF_MS : Number.POSITIVE_INFINITY);
    const keptUnder = isDue ? epochOf(query, this.webhook(webhookId).shard) : undefined;
    if (ours.length === 0) this.#due.delete(webhookId);
    else this.#due.set(webhookId, { atMs, keptUnder });
  }
}

const epochOf = ({ shards, epochs }: DueQuery, shard: number): number | undefined => {
  const epoch = epochs[shards.indexOf(shard)];
  return epoch === undefined ? undefined : Number(epoch);
};

const dueOf = (rows: readonly Row[], exceptDeliveries: readonly string[]): readonly Row[] =>
  rows
    .filter(({ nextAtMs }) => nextAtMs <= Date.now())
    .filter(({ job }) => !exceptDeliveries.includes(job.deliveryId))
    .toSorted((one, other) => one.nextAtMs - other.nextAtMs);

/** The leases of the table, each question put through `ask`. */
export const leasesIn = (
  table: DispatchTable,
  owner: string,
  ask: <T>(question: () => T) => Promise<T>,
): Pick<DispatchOptions, 'shardLeases' | 'replicas'> => ({
  shardLeases: {
    hold: async (shards) => ask(() => table.hold(owner, shards)),
    release: async (shards) => ask(() => table.release(owner, shards)),
    leave: async () => ask(() => table.release(owner)),
  },
  replicas: {
    announce: async () => ask(() => table.announce(owner)),
    retire: async () => ask(() => table.retire(owner)),
  },
});

const toJob = ({ job, attempt }: Row): Job => ({ ...job, attempt, webhookVersion: 0 });

/** None of one that is deleted. */
function targetOf({ status, rateLimit, delaysMs, rest, ...webhook }: WebhookState): Target[] {
  if (status === 'deleted') return [];
  const target: Target = {
    ...webhook,
    status,
    userId: 'u',
    ...(rest !== undefined && { rest }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(delaysMs !== undefined && { retry: { delaysMs } }),
  };
  return [target];
}

import {
  type AttemptRecord,
  type Job,
  type Result,
  type Target,
  validSecrets,
} from '../src/application/job.js';
import type { CircuitChange } from '../src/application/sending/ports.js';
import {
  HOST_CREDIT,
  HOST_CREDIT_BYTES,
  HOST_CREDIT_PER_2XX,
  HOST_CREDIT_PER_S,
} from '../src/application/sending/scheduler/limits.js';
import type { DispatchTable, WebhookState } from './dispatch-table.js';

/** A replica, as far as the rules tell one from another. */
export interface Sender {
  readonly owner: string;
  /** Until then it may not have heard of changes: it was cut off from the database. */
  heardOfAllMs: number;
}

interface Change {
  readonly version: number;
  readonly atMs: number;
  /** Undefined: nobody that sends. */
  readonly by: Sender | undefined;
  readonly rateLimit: number | undefined;
}

interface Sent {
  readonly job: Job;
  /** Epoch of the lease under which the request was sent. */
  readonly epoch: number;
  readonly atMs: number;
  /** Version of the webhook that the sender knew at that time. */
  readonly version: number;
}

/** A change is in force everywhere within a second, and after a read and a load. */
const HEARD_WITHIN_MS = 1_100;
const LEASE_MS = 5_000;
/** A replica that hears nothing goes on under a lease that it may have renewed before it would have heard. */
const CUT_OFF_MS = LEASE_MS + HEARD_WITHIN_MS;
const JITTER = 1.2;
const SECOND_MS = 1_000;

/** Rules that a dispatcher must never break, checked at each request that it makes and each result that it writes. */
export class DispatchRules {
  /** Violations of the rules, in words. */
  readonly broken: string[] = [];
  /** Deliveries that a receiver accepted. */
  readonly accepted = new Set<string>();
  /** Number of requests that were made before anything of their deliveries was written. */
  ahead = 0;
  readonly #table: DispatchTable;
  readonly #delaysMs: readonly number[];
  readonly #changes = new Map<string, Change[]>();
  /** Requests by replica and webhook. */
  readonly #sent = new Map<string, Sent[]>();
  readonly #circuits = new Map<string, CircuitChange['to']>();
  readonly #probes = new Map<string, number>();
  readonly #made = new Set<string>();
  /** Credit that hosts used and were given, by replica. */
  readonly #credit = new Map<string, Credit>();
  /** Webhooks that answered 2xx, by replica and url. */
  readonly #proven = new Set<string>();
  /** Schedules under which deliveries were sent, by delivery, attempt and epoch. */
  readonly #schedules = new Map<string, readonly number[]>();

  constructor(table: DispatchTable, delaysMs: readonly number[]) {
    this.#table = table;
    this.#delaysMs = delaysMs;
  }

  changed(webhook: WebhookState, by: Sender | undefined): void {
    const { webhookId, version, rateLimit } = webhook;
    const changes = this.#changes.get(webhookId) ?? [];
    this.#changes.set(webhookId, [...changes, { version, atMs: Date.now(), by, rateLimit }]);
  }

  circuitChanged(sender: Sender, webhookId: string, { to }: CircuitChange): void {
    this.#circuits.set(placeOf(sender, webhookId), to);
    this.#probes.set(placeOf(sender, webhookId), 0);
  }

  circuitForgotten(sender: Sender, webhookId: string): void {
    this.#circuits.delete(placeOf(sender, webhookId));
    this.#probes.delete(placeOf(sender, webhookId));
  }

  keepingCircuit(sender: Sender, webhookId: string, { to }: CircuitChange): void {
    const { shard } = this.#table.webhook(webhookId);
    const expect = this.#expecting(`${sender.owner} kept the circuit of ${webhookId} ${to}`);
    // That it half-opens follows from the time, and is not written.
    const isWritten = to !== 'half-open';
    expect('of another', !isWritten || this.#table.isHeldBy(sender.owner, shard));
  }

  sending(sender: Sender, job: Job, target: Target): void {
    const { deliveryId, webhookId, attempt, shard } = job;
    const expect = this.#expecting(`${sender.owner} sent ${deliveryId}/${attempt}`);
    const row = this.#table.rows.get(deliveryId);
    const webhook = this.#table.webhook(webhookId);
    const isNew = target.version === webhook.version || this.#mayNotKnow(sender, target);
    expect('under the lease of another', this.#table.isHeldBy(sender.owner, shard));
    expect('though its webhook is not active', target.status === 'active');
    expect('elsewhere', target.version !== webhook.version || target.url === webhook.url);
    expect('as its webhook was before a change', isNew);
    const isAhead = this.#table.log.has(deliveryId);
    if (isAhead) this.#ahead(target, expect);
    expect('with another number than awaited', row?.attempt === attempt || !isWaiting(row));
    // A delivery that was held at this moment may still be under way; an accepted one may not.
    const isSettled = row?.end === 'held' || row?.end === 'cancelled';
    expect('after its end', isAhead || isWaiting(row) || (isSettled && isNew));
    expect('before its time', isAhead || (row !== undefined && row.nextAtMs <= Date.now()));
    expect('twice', !this.#isSent(sender, job));
    expect('before an older one', target.ordered !== true || this.#isOldest(job));
    this.#circuit(sender, target, expect);
    this.#secrets(webhook, target, expect);
    this.#remember(sender, job, target);
    this.#rate(sender, target, expect);
    this.#host(sender, job, target, expect);
  }

  answered(
    sender: Sender,
    job: Job,
    { url }: Target,
    { outcome }: Pick<AttemptRecord, 'outcome'>,
  ): void {
    this.#made.add(`${job.deliveryId}/${job.attempt}`);
    if (outcome.kind !== 'succeeded') return;
    this.accepted.add(job.deliveryId);
    this.#proven.add(`${placeOf(sender, job.webhookId)} ${url}`);
    this.#creditOf(sender, url).given += HOST_CREDIT_PER_2XX * costOf(job);
  }

  writing({ job, epoch, record, fact }: Result): void {
    const { deliveryId, attempt } = job;
    const expect = this.#expecting(`the result of ${deliveryId}/${attempt}`);
    expect('was never sent', this.#made.has(`${deliveryId}/${attempt}`));
    const schedule = this.#schedules.get(`${deliveryId}/${attempt}/${epoch}`);
    const baseMs = (schedule ?? this.#delaysMs)[attempt - 1];
    const { outcome } = record;
    if (fact.type === 'delivery.attempt_failed') {
      const askedMs = outcome.kind === 'failed' ? outcome.retryAfterMs : 0;
      const fromMs = Math.max(baseMs ?? Number.POSITIVE_INFINITY, askedMs);
      const { delayMs } = fact.data;
      expect('is off the schedule', delayMs >= fromMs && delayMs <= fromMs * JITTER);
    } else if (fact.type === 'delivery.exhausted') {
      expect('gives up too soon', fact.data.gone || baseMs === undefined);
    } else {
      expect('succeeded on its own', this.accepted.has(deliveryId));
    }
  }

  #circuit(sender: Sender, { webhookId, rest }: Target, expect: Expect): void {
    const place = placeOf(sender, webhookId);
    const state = this.#circuits.get(place);
    const probes = this.#probes.get(place) ?? 0;
    expect('while its circuit is open', state !== 'open');
    expect('beside a probe', state !== 'half-open' || probes === 0);
    const isDue = rest === undefined || rest.probeAt.getTime() <= Date.now();
    // The replica's own observation counts more: the replica may have closed the circuit.
    expect('before the probe that its last owner left it', isDue || state !== undefined);
    this.#probes.set(place, probes + 1);
  }

  /**
   * Checks a request whose delivery is not filed yet: a delivery that may have to wait, or to go behind another, must
   * be filed first.
   */
  #ahead({ ordered, rateLimit }: Target, expect: Expect): void {
    this.ahead++;
    expect('ahead of those before it', ordered !== true);
    expect('ahead, though it has a rate limit', rateLimit === undefined);
  }

  #secrets(webhook: WebhookState, target: Target, expect: Expect): void {
    if (target.version !== webhook.version) return;
    const now = new Date();
    const [signing, valid] = [target.secrets, webhook.secrets].map((secrets) =>
      validSecrets(secrets, now).map(({ text }) => text),
    );
    expect('signed with other secrets', String(signing) === String(valid));
  }

  /** So much in a second since the limit is what it is, and what may go out at once besides. */
  #rate(sender: Sender, { webhookId, version, rateLimit }: Target, expect: Expect): void {
    if (rateLimit === undefined) return;
    const from = Date.now() - SECOND_MS;
    const changes = (this.#changes.get(webhookId) ?? []).filter((one) => one.version <= version);
    const since = changes.findLast((change) => change.rateLimit !== rateLimit)?.version ?? -1;
    const lately = this.#of(sender, webhookId).filter(
      (sent) => sent.atMs > from && sent.version > since,
    );
    expect('over its rate', lately.length <= rateLimit + Math.max(1, rateLimit / 10));
  }

  /** A host gets no more from webhooks that never answered 2xx than it answers, and a little. */
  #host(sender: Sender, job: Job, { url }: Target, expect: Expect): void {
    if (this.#proven.has(`${placeOf(sender, job.webhookId)} ${url}`)) return;
    const credit = this.#creditOf(sender, url);
    credit.used += costOf(job);
    const byTime = (HOST_CREDIT_PER_S * (Date.now() - credit.sinceMs)) / SECOND_MS;
    // The last request may cost more than is left.
    expect('beyond its host', credit.used - costOf(job) < HOST_CREDIT + byTime + credit.given);
  }

  #creditOf({ owner }: Sender, url: string): Credit {
    const place = `${owner} ${new URL(url).hostname}`;
    const credit = this.#credit.get(place) ?? { used: 0, given: 0, sinceMs: Date.now() };
    this.#credit.set(place, credit);
    return credit;
  }

  /** Returns true while the sender need not have heard of the change that followed this version. */
  #mayNotKnow(sender: Sender, { webhookId, version }: Target): boolean {
    const next = this.#changes.get(webhookId)?.find((change) => change.version > version);
    if (next === undefined || next.by === sender) return false;
    const sinceMs = Date.now() - next.atMs;
    return sinceMs <= (sender.heardOfAllMs > next.atMs ? CUT_OFF_MS : HEARD_WITHIN_MS);
  }

  #isOldest({ webhookId, deliveryId }: Job): boolean {
    const waiting = this.#table.waiting().filter(({ job }) => job.webhookId === webhookId);
    return waiting.length === 0 || waiting[0]?.job.deliveryId === deliveryId;
  }

  #isSent(sender: Sender, job: Job): boolean {
    const { deliveryId, attempt, shard } = job;
    return this.#of(sender, job.webhookId)
      .filter((sent) => sent.epoch === this.#table.epochOf(shard))
      .some((sent) => sent.job.deliveryId === deliveryId && sent.job.attempt === attempt);
  }

  #remember(sender: Sender, job: Job, { version, retry }: Target): void {
    const epoch = this.#table.epochOf(job.shard);
    this.#of(sender, job.webhookId).push({ job, epoch, atMs: Date.now(), version });
    const { deliveryId, attempt } = job;
    if (retry) this.#schedules.set(`${deliveryId}/${attempt}/${epoch}`, retry.delaysMs);
  }

  #of(sender: Sender, webhookId: string): Sent[] {
    const place = placeOf(sender, webhookId);
    const sent = this.#sent.get(place) ?? [];
    this.#sent.set(place, sent);
    return sent;
  }

  #expecting(subject: string): Expect {
    return (what, isSo) => {
      if (!isSo) this.broken.push(`${subject} ${what}`);
    };
  }
}

interface Credit {
  used: number;
  given: number;
  readonly sinceMs: number;
}

const costOf = ({ body }: Job): number => Math.max(1, body.length / HOST_CREDIT_BYTES);

type Expect = (what: string, isSo: boolean) => void;

const placeOf = ({ owner }: Sender, webhookId: string): string => `${owner} ${webhookId}`;

const isWaiting = (row: { end: unknown } | undefined): boolean =>
  row !== undefined && row.end === undefined;

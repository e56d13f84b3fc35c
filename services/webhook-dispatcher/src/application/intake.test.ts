import { randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { newId } from '@junction/contracts';
import type { AttemptRecord, Job, Result } from './dispatch/job.js';
import type { Decided } from './dispatch/scheduler/queue.js';
import { intake } from './intake.js';
import type { IncomingEvent, IntakeRows, MatchedWebhook, NewDelivery } from './ports.js';

describe('an event that is begun', () => {
  it('is ready when every delivery that was sent ahead is answered', async () => {
    const world = intakeOf(webhook(), webhook(), unready());
    const [begun] = await world.begin(eventOf());
    expect(world.sent()).toHaveLength(2);
    world.answer(0, 'succeeded');
    expect(await isReady(begun)).toBe(false);
    world.answer(1, 'succeeded');
    expect(await isReady(begun)).toBe(true);
  });

  it('is ready at once when nothing is sent ahead', async () => {
    const world = intakeOf(webhook({ status: 'disabled' }), unready());
    const [begun] = await world.begin(eventOf());
    expect(await isReady(begun)).toBe(true);
  });

  it('is ready after half a second without an answer', async () => {
    jest.useFakeTimers();
    try {
      const world = intakeOf(webhook());
      const [begun] = await world.begin(eventOf());
      await jest.advanceTimersByTimeAsync(499);
      expect(await isReady(begun)).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(await isReady(begun)).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is sent once while it is under way, and may come again once it is filed', async () => {
    const world = intakeOf(webhook());
    const event = eventOf();
    const [first, second] = await world.begin(event, event);
    const [third] = await world.begin(event);
    expect(world.sent()).toHaveLength(1);
    expect([first, second, third].map((begun) => begun?.taken.isRepeat)).toEqual([
      false,
      true,
      true,
    ]);
    world.answer(0, 'succeeded');
    await world.file([first, second, third]);
    expect(world.repeats).toEqual([[event.messageId, 2]]);
    expect(world.came).toEqual([event.messageId]);
    await world.begin(event);
    expect(world.sent()).toHaveLength(2);
  });
});

describe('an event that is begun and cannot be filed', () => {
  it('is new when it comes again, and its deliveries are no longer in hand', async () => {
    const world = intakeOf(webhook(), unready());
    const event = eventOf();
    const [first, second] = await world.begin(event, event);
    if (second) world.giveUp(second.taken);
    expect(await world.begin(event)).toMatchObject([{ taken: { isRepeat: true } }]);
    if (first) world.giveUp(first.taken);
    expect(world.told).toEqual(['released 1']);
    expect(await world.begin(event)).toMatchObject([{ taken: { isRepeat: false } }]);
  });
});

describe('filing a delivery that was sent ahead', () => {
  it('stores its success, and has the dispatcher release it', async () => {
    const world = intakeOf(webhook());
    const begun = await world.begin(eventOf());
    world.answer(0, 'succeeded');
    await world.file(begun);
    expect(world.rows).toMatchObject([{ verdict: 'pending', sent: { result: 'succeeded' } }]);
    expect(world.told).toEqual(['released 1', 'written 1']);
  });

  it('stores it as pending when it failed or has no answer, and hands over a result that has come', async () => {
    const world = intakeOf(webhook(), webhook());
    const begun = await world.begin(eventOf());
    world.answer(0, 'failed');
    await world.file(begun);
    expect(world.rows.map(({ sent }) => sent)).toEqual([undefined, undefined]);
    expect(world.told).toEqual(['stored 2, results 1']);
  });

  it('stores it as pending when its answer comes during the transaction', async () => {
    const world = intakeOf(webhook());
    const begun = await world.begin(eventOf());
    await world.file(begun, () => world.answer(0, 'succeeded'));
    expect(world.rows).toMatchObject([{ sent: undefined }]);
    expect(world.told).toEqual(['stored 1, results 1']);
  });

  it('stores it as pending when its early send was dropped, and hands it to the dispatcher like any other', async () => {
    const world = intakeOf(webhook());
    const begun = await world.begin(eventOf());
    world.answer(0, 'let go');
    await world.file(begun);
    expect(world.told).toEqual(['accept 1']);
  });

  it('stores nothing when another replica has filed the event, whose row gets the result', async () => {
    const world = intakeOf(webhook(), unready());
    const event = eventOf();
    const begun = await world.begin(event);
    world.answer(0, 'succeeded');
    world.known.add(event.messageId);
    await world.file(begun);
    expect(world.told).toEqual(['stored 1, results 1']);
  });
});

describe('an event whose number no double holds', () => {
  it('passes no filter that names the double next to it', async () => {
    const near = webhook({ filter: { path: 'id', equals: 9007199254740992 } });
    const above = webhook({ filter: { path: 'id', gt: 9007199254740992 } });
    const world = intakeOf(near, above);
    await world.begin({ ...eventOf(), data: Buffer.from('{"id":9007199254740993}') });
    expect(world.sent().map(({ webhookId }) => webhookId)).toEqual([above.webhookId]);
  });
});

const USER = randomUUID();

const eventOf = (): IncomingEvent => ({
  messageId: `msg_${randomUUID()}`,
  source: '/tests',
  id: randomUUID(),
  userId: USER,
  kind: 'draft.created',
  time: new Date(),
  data: Buffer.from('{}'),
  at: new Date(),
});

const webhook = (parts: Partial<MatchedWebhook> = {}): MatchedWebhook => ({
  webhookId: newId('wh'),
  events: ['draft.created'],
  status: 'active',
  version: 1,
  shard: 0,
  ...parts,
});

/** Returns a webhook to which nothing is sent ahead. */
const unready = (): MatchedWebhook => webhook({ version: 0 });

type Answer = 'succeeded' | 'failed' | 'let go';

/** Returns an intake for a user with these webhooks; the dispatcher sends ahead to those that are ready. */
function intakeOf(...webhooks: readonly MatchedWebhook[]) {
  const jobs: Job[] = [];
  const decided: Decided[] = [];
  const told: string[] = [];
  const rows: NewDelivery[] = [];
  const known = new Set<string>();
  const repeats: [string, number][] = [];
  const came: string[] = [];
  const tell = (what: string, count: number) => void (count > 0 && told.push(`${what} ${count}`));
  const { begin, file, giveUp } = intake({
    dispatch: {
      offerAhead(job, onDecided) {
        if (job.webhookVersion === 0) return false;
        jobs.push(job);
        decided.push(onDecided);
        return true;
      },
      stored(some, results) {
        if (some.length > 0) told.push(`stored ${some.length}, results ${results.length}`);
      },
      released: (some) => tell('released', some.length),
      accept: (some) => tell('accept', some.length),
    },
    written: (results) => tell('written', results.length),
    came: (events) => void came.push(...events.map(({ event }) => event.messageId)),
    after: (ms, call) => void setTimeout(call, ms).unref(),
  });
  const reads = {
    look: async () => ({ webhooks: new Map([[USER, webhooks]]), known: new Set<string>() }),
  };
  const intakeRows = (during: () => void): IntakeRows => ({
    async record(_, deliveries) {
      rows.push(...deliveries);
      during();
      return known;
    },
    async countRepeats(counts) {
      repeats.push(...counts);
    },
    insertDeliveries: async () => undefined,
  });
  return {
    known,
    came,
    rows,
    told,
    repeats,
    sent: () => jobs,
    giveUp,
    begin: async (...events: readonly IncomingEvent[]) => begin(reads, events),
    answer(index: number, answer: Answer) {
      const job = jobs[index];
      if (job) decided[index]?.(answer === 'let go' ? undefined : resultOf(job, answer));
    },
    async file(begun: readonly (Begun | undefined)[], during = () => {}) {
      const taken = begun.flatMap((one) => (one ? [one.taken] : []));
      const afterCommit = await file(intakeRows(during), taken);
      afterCommit();
    },
  };
}

type Begun = Awaited<ReturnType<ReturnType<typeof intake>['begin']>>[number];

const isReady = async (begun: Begun | undefined): Promise<boolean> =>
  Promise.race([
    begun?.ready.then(() => true) ?? false,
    // Resolves later than promises that are settled already.
    Promise.resolve()
      .then(() => undefined)
      .then(() => false),
  ]);

function resultOf(job: Job, answer: 'succeeded' | 'failed'): Result {
  const isWell = answer === 'succeeded';
  const record: AttemptRecord = {
    startedAt: new Date(),
    outcome: isWell
      ? { kind: 'succeeded' }
      : { kind: 'failed', reason: 'http_500', retryAfterMs: 0 },
    result: isWell ? 'succeeded' : 'http_500',
    httpStatus: isWell ? 200 : 500,
    headersMs: 1,
    totalMs: 1,
    connection: { dnsMs: null, connectMs: null, tlsMs: null },
    headers: Buffer.alloc(0),
    sample: Buffer.alloc(0),
  };
  const fact = isWell
    ? ({ type: 'delivery.succeeded', data: { attempt: 1 } } as const)
    : ({
        type: 'delivery.attempt_failed',
        data: { attempt: 1, reason: 'http_500', delayMs: 5_000 },
      } as const);
  return { job, epoch: '1', at: new Date(), record, fact, version: 1, isOutdated: false };
}

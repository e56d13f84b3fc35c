import type { Driver } from './driver.js';
import type { Job } from './job.js';
import type { OrderedWork } from './ordered-work.js';
import { roomOf } from './scheduler/in-hand.js';
import { LOW_WATERMARK, POLL_MS, READ_MAX, TOGETHER_MS } from './scheduler/limits.js';
import { roomForOthers } from './scheduler/queues.js';
import { blocked, known, orderedWaiting, quick } from './scheduler/reading.js';

/** What is due, and by which version of the index of webhooks it was read. */
export interface DueWork {
  readonly indexVersion: string;
  /** Some shard belongs to nobody just now. */
  readonly freeShards: boolean;
  /** More is due than one read looks at: then it gives no jobs, and they are to be read in turns. */
  readonly isBacklogged: boolean;
  /** Milliseconds until the next is due; undefined: none waits for its time. */
  readonly soonestMs: number | undefined;
  readonly jobs: readonly Job[];
}

/** A few jobs of each webhook, as far as this read came; undefined: it came to the end. */
export interface DueInTurns {
  readonly goOnAfter: string | undefined;
  readonly jobs: readonly Job[];
}

export interface DueQuery {
  readonly shards: readonly number[];
  readonly exceptWebhooks: readonly string[];
  readonly exceptDeliveries: readonly string[];
  readonly limit: number;
}

export interface DueOfQuery extends Pick<DueQuery, 'exceptDeliveries' | 'limit'> {
  readonly webhookIds: readonly string[];
}

/** A few jobs of each of these webhooks. */
export interface DueOf {
  readonly jobs: readonly Job[];
  /** Of these it was all that is due. */
  readonly all: readonly string[];
}

export interface DueReaderOptions {
  readonly read: (query: DueQuery) => Promise<DueWork>;
  /** Reads a backlog webhook by webhook, from behind the one where the last read ended. */
  readonly readInTurns: (query: DueQuery, after: string | undefined) => Promise<DueInTurns>;
  readonly readOf: (query: DueOfQuery) => Promise<DueOf>;
  readonly readOrdered: (webhookIds: readonly string[]) => Promise<OrderedWork>;
  /**
   * Gives the ones of these webhooks whose version is another by now, that are gone, or of which something changed since
   * that version of the index; undefined: since any.
   */
  readonly changed: (
    known: ReadonlyMap<string, number>,
    sinceIndexVersion: string | undefined,
  ) => Promise<readonly string[]>;
  readonly driver: Pick<Driver, 'state' | 'moment' | 'handle'>;
  readonly owned: () => readonly number[];
  readonly onFreeShards: () => void;
  readonly onError: (error: unknown) => void;
}

export interface DueReader {
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Brings what is due from the table to the scheduler: when its time has come, when there is room again,
 * or when somebody says so.
 */
export function startDueReader(options: DueReaderOptions): DueReader {
  const state: State = {
    stopped: false,
    woken: false,
    wakeUp: () => {},
    after: undefined,
    quickAfter: '',
    isPassFruitful: false,
  };
  const running = readOn(options, state);

  return {
    wake() {
      state.woken = true;
      state.wakeUp();
    },
    async stop() {
      state.stopped = true;
      state.wakeUp();
      await running;
    },
  };
}

interface State {
  stopped: boolean;
  woken: boolean;
  wakeUp: () => void;
  /** How far the reads in turns have come; undefined: the next pass begins. */
  after: string | undefined;
  /** How far the reads of quick webhooks have come; '': the next pass begins. */
  quickAfter: string;
  /** This pass has brought something. */
  isPassFruitful: boolean;
}

async function readOn(options: DueReaderOptions, state: State): Promise<void> {
  let indexVersion: string | undefined;
  while (!state.stopped) {
    state.woken = false;
    let restMs = POLL_MS;
    try {
      options.driver.handle({ kind: 'loadAgain' });
      ({ indexVersion, restMs } = await readDue(options, state, indexVersion));
      await readOrdered(options);
    } catch (error) {
      options.onError(error);
    }
    if (restMs > 0 && !state.woken && !state.stopped) await rest(state, restMs);
  }
}

async function rest(state: State, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    state.wakeUp = resolve;
    timer = setTimeout(resolve, ms);
  });
  clearTimeout(timer);
}

interface Read {
  readonly indexVersion: string | undefined;
  readonly restMs: number;
}

/**
 * With little room for webhooks that are not quick, all that is due would be read to be turned away: then the
 * quick ones are read by themselves, and of all that is due, once they are through, what there is room for.
 */
async function readDue(
  options: DueReaderOptions,
  state: State,
  indexVersion: string | undefined,
): Promise<Read> {
  const scheduled = options.driver.state;
  if (roomForOthers(scheduled) >= LOW_WATERMARK) {
    return readAll(options, state, indexVersion, roomOf(scheduled.inHand));
  }
  const isFruitful = await readQuick(options, state);
  const isThrough = state.quickAfter === '';
  const room = isThrough ? Math.min(roomOf(scheduled.inHand), roomForOthers(scheduled)) : 0;
  const read = await readAll(options, state, indexVersion, room);
  const restMs = isThrough ? POLL_MS : TOGETHER_MS;
  return { ...read, restMs: isFruitful ? 0 : restMs };
}

/** The next of the quick webhooks. Says whether it brought something. */
async function readQuick({ driver, readOf }: DueReaderOptions, state: State): Promise<boolean> {
  const behind = quick(driver.state).filter((id) => id > state.quickAfter);
  const webhookIds = behind.toSorted().slice(0, READ_MAX);
  state.quickAfter = behind.length > READ_MAX ? (webhookIds.at(-1) ?? '') : '';
  if (webhookIds.length === 0) return false;
  const limit = Math.min(READ_MAX, roomOf(driver.state.inHand));
  const exceptDeliveries = inHand(driver);
  driver.handle({ kind: 'readBegan' });
  const { jobs, all } = await reading(driver, readOf({ webhookIds, exceptDeliveries, limit }));
  driver.handle({ kind: 'readAllOf', webhookIds: all });
  return offered(driver, jobs);
}

async function readAll(
  options: DueReaderOptions,
  state: State,
  indexVersion: string | undefined,
  room: number,
): Promise<Read> {
  const { driver } = options;
  const query = {
    // Without room there are the version of the index and the free shards to be read, and nothing else.
    shards: room > 0 ? options.owned() : [],
    limit: Math.min(READ_MAX, room),
    exceptWebhooks: blocked(driver.state),
    exceptDeliveries: inHand(driver),
  };
  driver.handle({ kind: 'readBegan' });
  const found = await reading(driver, find(options, state, query, indexVersion));
  const { jobs, soonestMs = POLL_MS } = found;
  // Where all of it was turned away there is no room: whoever makes some wakes us.
  const restMs = restMsAfter(found, offered(driver, jobs), state);
  const soonMs = Math.min(POLL_MS, Math.max(TOGETHER_MS, soonestMs));
  return { indexVersion: found.indexVersion, restMs: restMs ?? soonMs };
}

/** What the read must leave out. */
const inHand = ({ state }: DueReaderOptions['driver']): readonly string[] => [...state.inHand.ids];

/** Says whether the read brought something: not where all of it was turned away. */
function offered(driver: DueReaderOptions['driver'], jobs: readonly Job[]): boolean {
  driver.handle({ kind: 'rowsRead', jobs });
  return driver.state.turnedAway < jobs.length;
}

/** A read that fails is over too. */
async function reading<Found>(
  driver: DueReaderOptions['driver'],
  read: Promise<Found>,
): Promise<Found> {
  try {
    return await read;
  } catch (error) {
    driver.handle({ kind: 'rowsRead', jobs: [] });
    throw error;
  }
}

/** Undefined: nothing more is to be had before the next is due. */
function restMsAfter(found: Found, isFruitful: boolean, state: State): number | undefined {
  if (found.kind !== 'backlog') return found.kind === 'some' && isFruitful ? 0 : undefined;

  state.isPassFruitful ||= isFruitful;
  if (state.after === undefined) {
    const hasFound = state.isPassFruitful;
    state.isPassFruitful = false;
    return hasFound ? 0 : undefined;
  }
  // Those that this turn came by wait for their time, or for room; there are others behind them.
  return isFruitful ? 0 : TOGETHER_MS;
}

interface Found extends Pick<DueWork, 'jobs' | 'indexVersion' | 'soonestMs'> {
  readonly kind: 'all' | 'some' | 'backlog';
}

async function find(
  { read, readInTurns, changed, driver, onFreeShards }: DueReaderOptions,
  state: State,
  query: DueQuery,
  knownIndexVersion: string | undefined,
): Promise<Found> {
  const { jobs, indexVersion, freeShards, isBacklogged, soonestMs } = await read(query);
  if (freeShards) onFreeShards();
  // Before the jobs: they may have been matched with a webhook that is not as we know it. The first read too,
  // since events from Kafka may have had webhooks loaded before it.
  if (knownIndexVersion !== indexVersion) {
    for (const webhookId of await changed(known(driver.state), knownIndexVersion)) {
      driver.handle({ kind: 'webhookChanged', webhookId });
    }
  }
  if (isBacklogged) {
    const turn = await readInTurns(query, state.after);
    state.after = turn.goOnAfter;
    return { kind: 'backlog', jobs: turn.jobs, indexVersion, soonestMs };
  }
  const kind = jobs.length < query.limit ? 'all' : 'some';
  if (kind === 'all') driver.handle({ kind: 'readAllBut', webhookIds: query.exceptWebhooks });
  return { kind, jobs, indexVersion, soonestMs };
}

async function readOrdered({ readOrdered, driver }: DueReaderOptions): Promise<void> {
  const moment = driver.moment();
  const { nowMs: askedMs } = moment;
  const asked = orderedWaiting(driver.state, moment).slice(0, READ_MAX);
  if (asked.length === 0) return;
  driver.handle({ kind: 'orderedRead', asked, askedMs, work: await readOrdered(asked) });
}

import type { Job } from '../job.js';
import type { Driver } from './driver.js';
import type { DueQuery, DueReads, DueWork } from './due-work.js';
import { roomOf } from './scheduler/in-hand.js';
import { LOW_WATERMARK, POLL_MS, READ_MAX, TOGETHER_MS } from './scheduler/limits.js';
import { roomForOthers } from './scheduler/queues.js';
import { blocked, known, orderedWaiting, quick } from './scheduler/reading.js';

export interface DueReaderOptions extends DueReads {
  readonly driver: Pick<Driver, 'state' | 'moment' | 'handle' | 'offerRead'>;
  readonly owned: () => readonly number[];
  readonly onFreeShards: () => void;
  readonly onError: (error: unknown) => void;
}

export interface DueReader {
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Starts the reader, which brings due deliveries from the table to the scheduler: when their time has come, when there
 * is room again, or when `wake` is called.
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
  /** Webhook after which the reads in turns go on; undefined: the next pass starts. */
  after: string | undefined;
  /** Webhook after which the reads of quick webhooks go on; '': the next pass starts. */
  quickAfter: string;
  /** Whether this pass has brought a job that was taken. */
  isPassFruitful: boolean;
}

async function readOn(options: DueReaderOptions, state: State): Promise<void> {
  let indexVersion: string | undefined;
  while (!state.stopped) {
    state.woken = false;
    let restMs = POLL_MS;
    try {
      options.driver.handle({ kind: 'loadAgain' });
      ({ indexVersion, restMs } = await readNext(options, state, indexVersion));
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
 * Reads what is due. With little room for webhooks that are not quick, most of what is due would be read only to be
 * turned away. In that case the quick ones are read by themselves, and once they are through, as much of everything as
 * there is room for.
 */
async function readNext(
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

/** Reads the next of the quick webhooks. Returns whether a job of them was taken. */
async function readQuick({ driver, readOf }: DueReaderOptions, state: State): Promise<boolean> {
  const behind = quick(driver.state).filter((id) => id > state.quickAfter);
  const webhookIds = behind.toSorted().slice(0, READ_MAX);
  state.quickAfter = behind.length > READ_MAX ? (webhookIds.at(-1) ?? '') : '';
  if (webhookIds.length === 0) return false;
  const limit = Math.min(READ_MAX, roomOf(driver.state.inHand));
  const exceptDeliveries = inHand(driver);
  driver.handle({ kind: 'readStarted' });
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
    // Without room, only the version of the index and the free shards are read.
    shards: room > 0 ? options.owned() : [],
    limit: Math.min(READ_MAX, room),
    exceptWebhooks: blocked(driver.state),
    exceptDeliveries: inHand(driver),
  };
  driver.handle({ kind: 'readStarted' });
  const found = await reading(driver, find(options, state, query, indexVersion));
  const { jobs, soonestMs = POLL_MS } = found;
  // When all jobs were turned away there is no room: the scheduler wakes the reader as soon as there is.
  const restMs = restMsAfter(found, offered(driver, jobs), state);
  const soonMs = Math.min(POLL_MS, Math.max(TOGETHER_MS, soonestMs));
  return { indexVersion: found.indexVersion, restMs: restMs ?? soonMs };
}

/** Returns the deliveries that the read must leave out. */
const inHand = ({ state }: DueReaderOptions['driver']): readonly string[] => [...state.inHand.ids];

/** Offers the jobs to the scheduler. Returns whether the read brought something: not when all were turned away. */
function offered(driver: DueReaderOptions['driver'], jobs: readonly Job[]): boolean {
  return driver.offerRead(jobs) < jobs.length;
}

/** Awaits a read. A failed read has to end for the scheduler too. */
async function reading<Found>(
  driver: DueReaderOptions['driver'],
  read: Promise<Found>,
): Promise<Found> {
  try {
    return await read;
  } catch (error) {
    driver.offerRead([]);
    throw error;
  }
}

/** Returns the milliseconds to rest; undefined: nothing more can be read before the next delivery is due. */
function restMsAfter(found: Found, isFruitful: boolean, state: State): number | undefined {
  if (found.kind !== 'backlog') return found.kind === 'some' && isFruitful ? 0 : undefined;

  state.isPassFruitful ||= isFruitful;
  if (state.after === undefined) {
    const hasFound = state.isPassFruitful;
    state.isPassFruitful = false;
    return hasFound ? 0 : undefined;
  }
  // The webhooks of this turn wait for their time or for room; there are others behind them.
  return isFruitful ? 0 : TOGETHER_MS;
}

interface Found extends Pick<DueWork, 'jobs' | 'indexVersion' | 'soonestMs'> {
  readonly kind: 'all' | 'some' | 'backlog';
}

async function find(
  { readDue, readInTurns, changedWebhooks, driver, onFreeShards }: DueReaderOptions,
  state: State,
  query: DueQuery,
  knownIndexVersion: string | undefined,
): Promise<Found> {
  const { jobs, indexVersion, freeShards, isBacklogged, soonestMs } = await readDue(query);
  if (freeShards) onFreeShards();
  // Changes come before the jobs, which may have been matched with a newer version of a webhook. The first read looks
  // for changes too, since events from Kafka may have had webhooks loaded before.
  if (knownIndexVersion !== indexVersion) {
    for (const webhookId of await changedWebhooks(known(driver.state), knownIndexVersion)) {
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
  const { nowMs: startedMs } = moment;
  const webhookIds = orderedWaiting(driver.state, moment).slice(0, READ_MAX);
  if (webhookIds.length === 0) return;
  const work = await readOrdered(webhookIds);
  driver.handle({ kind: 'orderedRead', webhookIds, startedMs, work });
}

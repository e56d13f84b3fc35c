import type { Job } from '../job.js';
import type { Driver } from './driver.js';
import type { DueQuery, DueReads, DueWork } from './due-work.js';
import { roomOf } from './scheduler/in-hand.js';
import { LOW_WATERMARK, POLL_MS, READ_MAX, TOGETHER_MS } from './scheduler/limits.js';
import { roomForOthers } from './scheduler/queues.js';
import { blocked, known, orderedWaiting, overflowed, quick } from './scheduler/reading.js';

export interface DueReaderOptions extends DueReads {
  readonly driver: Pick<Driver, 'state' | 'moment' | 'handle' | 'offerRead'>;
  readonly owned: () => readonly number[];
  readonly onFreeShards: () => void;
  readonly onError: (error: unknown) => void;
}

export interface DueReader {
  wake(): void;
  /** Has the shard looked at as if it were new, should it come back: its queues are dropped. */
  shardLost(shard: number): void;
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
    indexVersion: undefined,
    lost: new Set(),
    quickAfter: '',
    overflowedAfter: '',
    isPassFruitful: false,
  };
  const running = readOn(options, state);

  return {
    wake() {
      state.woken = true;
      state.wakeUp();
    },
    shardLost: (shard) => void state.lost.add(shard),
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
  /** Version of the index of webhooks by which the last read was made; undefined: none was made yet. */
  indexVersion: string | undefined;
  /** Shards whose queues were dropped: a lease that ran out may come back under the same epoch. */
  readonly lost: Set<number>;
  /** Webhook after which the reads of quick webhooks go on; '': the next pass starts. */
  quickAfter: string;
  /** The same for the webhooks that have left something to the table. */
  overflowedAfter: string;
  /** Whether this pass has brought a job that was taken. */
  isPassFruitful: boolean;
}

async function readOn(options: DueReaderOptions, state: State): Promise<void> {
  while (!state.stopped) {
    state.woken = false;
    let restMs = POLL_MS;
    try {
      options.driver.handle({ kind: 'loadAgain' });
      await lookAgain(options, state);
      restMs = await readNext(options, state);
      await readOrdered(options);
    } catch (error) {
      options.onError(error);
    }
    if (restMs > 0 && !state.woken && !state.stopped) await rest(state, restMs);
  }
}

/** Looks anew at what was in hand here, of shards that have come back. */
async function lookAgain({ owned, lookAgain }: DueReaderOptions, { lost }: State): Promise<void> {
  const back = owned().filter((shard) => lost.has(shard));
  if (back.length === 0) return;
  for (const shard of back) lost.delete(shard);
  try {
    await lookAgain(back);
  } catch (error) {
    for (const shard of back) lost.add(shard);
    throw error;
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

/**
 * Reads what is due, and returns the milliseconds to rest. With little room for webhooks that are not quick, most of
 * what is due would be read only to be turned away. In that case the quick ones are read by themselves, and once they
 * are through, as much of everything as there is room for.
 */
async function readNext(options: DueReaderOptions, state: State): Promise<number> {
  const { state: scheduled } = options.driver;
  const others = roomForOthers(scheduled);
  if (others >= LOW_WATERMARK) return readAll(options, state, roomOf(scheduled.inHand));
  const isFruitful = await readQuick(options, state);
  const isThrough = state.quickAfter === '';
  if (isThrough) {
    const room = Math.min(roomOf(scheduled.inHand), roomForOthers(scheduled));
    await readAll(options, state, room);
  }
  const restMs = isThrough ? POLL_MS : TOGETHER_MS;
  return isFruitful ? 0 : restMs;
}

/** Reads the next of the quick webhooks. Returns whether a job of them was taken. */
async function readQuick(options: DueReaderOptions, state: State): Promise<boolean> {
  const { state: scheduled } = options.driver;
  const limit = Math.min(READ_MAX, roomOf(scheduled.inHand));
  const { ids, after } = next(quick(scheduled), state.quickAfter, limit);
  state.quickAfter = after;
  if (ids.length === 0) return false;
  return (await read(options, state, { ...NO_SHARDS, webhookIds: ids, limit })).isFruitful;
}

/**
 * Reads the webhooks that have left something to the table, and those whose time has come. Returns the milliseconds to
 * rest: none while there are others behind those that were read.
 */
async function readAll(options: DueReaderOptions, state: State, room: number): Promise<number> {
  const { driver, owned } = options;
  const limit = Math.min(READ_MAX, room);
  // Without room, only the version of the index and the free shards are read.
  if (limit === 0) {
    await read(options, state, { ...NO_SHARDS, webhookIds: [], limit });
    return POLL_MS;
  }
  const left = () => overflowed(driver.state, driver.moment());
  const { ids, after } = next(left(), state.overflowedAfter, Math.ceil(limit / 2));
  state.overflowedAfter = after;
  const { epochOf } = driver.moment();
  const shards = owned().filter((shard) => epochOf(shard) !== undefined);
  const epochs = shards.map((shard) => epochOf(shard) ?? '');
  const query = { shards, epochs, webhookIds: ids, limit };
  const { isMore, isFruitful, soonestMs } = await read(options, state, query);
  state.isPassFruitful ||= isFruitful;
  if (isMore || after !== '') return 0;
  // When all jobs were turned away there is no room: the scheduler wakes the reader as soon as there is.
  const goesOn = state.isPassFruitful && left().length > 0;
  state.isPassFruitful = false;
  return goesOn ? 0 : Math.min(POLL_MS, Math.max(TOGETHER_MS, soonestMs));
}

const NO_SHARDS = { shards: [], epochs: [] };

/** Returns the next of some webhooks, in turn, and the last of them; '': there are none behind it. */
function next(webhookIds: readonly string[], after: string, max: number) {
  const behind = webhookIds.filter((id) => id > after).toSorted();
  const ids = behind.slice(0, max);
  return { ids, after: behind.length > max ? (ids.at(-1) ?? '') : '' };
}

async function read(
  options: DueReaderOptions,
  state: State,
  query: Pick<DueQuery, 'shards' | 'epochs' | 'webhookIds' | 'limit'>,
) {
  const { driver } = options;
  driver.handle({ kind: 'readStarted' });
  const found = await reading(
    driver,
    find(options, state, {
      ...query,
      exceptWebhooks: blocked(driver.state),
      exceptDeliveries: inHand(driver),
    }),
  );
  const { jobs, all, left, isMore, soonestMs = POLL_MS } = found;
  driver.handle({ kind: 'readAllOf', webhookIds: all });
  const isFruitful = offered(driver, jobs);
  driver.handle({ kind: 'leftInTable', webhookIds: left });
  return { isFruitful, isMore, soonestMs };
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

async function find(
  { readDue, changedWebhooks, driver, onFreeShards }: DueReaderOptions,
  state: State,
  query: DueQuery,
): Promise<DueWork> {
  const found = await readDue(query);
  if (found.freeShards) onFreeShards();
  // Changes come before the jobs, which may have been matched with a newer version of a webhook. The first read looks
  // for changes too, since events from Kafka may have had webhooks loaded before.
  if (state.indexVersion !== found.indexVersion) {
    for (const webhookId of await changedWebhooks(known(driver.state), state.indexVersion)) {
      driver.handle({ kind: 'webhookChanged', webhookId });
    }
    state.indexVersion = found.indexVersion;
  }
  return found;
}

async function readOrdered({ readOrdered, driver }: DueReaderOptions): Promise<void> {
  const moment = driver.moment();
  const { nowMs: startedMs } = moment;
  const webhookIds = orderedWaiting(driver.state, moment).slice(0, READ_MAX);
  if (webhookIds.length === 0) return;
  const work = await readOrdered(webhookIds);
  driver.handle({ kind: 'orderedRead', webhookIds, startedMs, work });
}

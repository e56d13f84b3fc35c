import { afterEach, describe, expect, it, jest } from '@jest/globals';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { kafkaClient } from './kafka-client.js';
import { silentLog } from './log.js';
import { quietRequestQueue } from './request-queue-patch.js';

const { fulfillRequest, scheduleCheckPendingRequests, scheduleRequestTimeoutCheck } =
  RequestQueue.prototype;

afterEach(() => {
  jest.useRealTimers();
  Object.assign(RequestQueue.prototype, {
    fulfillRequest,
    scheduleCheckPendingRequests,
    scheduleRequestTimeoutCheck,
  });
});

describe('the request queue of an idle connection', () => {
  it('wakes up a thousand times a second as kafkajs ships it', () => {
    expect(checksInOneIdleSecond()).toBeGreaterThan(500);
  });

  it('never wakes up once a client of ours is made', () => {
    kafkaClient({ brokers: ['127.0.0.1:9'], clientId: 'test', log: silentLog });
    expect(checksInOneIdleSecond()).toBe(0);
  });
});

it('a request without an answer is given up within a second of its time, and nothing looks after the connection ended', () => {
  quietRequestQueue();
  jest.useFakeTimers();
  let isConnected = true;
  const queue = newQueue({ enforceRequestTimeout: true, isConnected: () => isConnected });
  const reject = jest.fn();
  queue.scheduleRequestTimeoutCheck();
  queue.push({ ...request(1, () => undefined, reject), requestTimeout: 2_500 });

  jest.advanceTimersByTime(2_500);
  expect(reject).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1_000);
  expect(reject).toHaveBeenCalledTimes(1);
  isConnected = false;
  jest.advanceTimersByTime(1_000);
  expect(jest.getTimerCount()).toBe(0);
});

it('the request queue of a throttled connection checks once when the throttle ends, and sends what waited', () => {
  quietRequestQueue();
  jest.useFakeTimers();
  const queue = newQueue();
  const sent = jest.fn();
  queue.maybeThrottle(300);
  queue.push(request(1, sent));

  jest.advanceTimersByTime(299);
  expect(sent).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  expect(sent).toHaveBeenCalledTimes(1);
  expect(jest.getTimerCount()).toBe(0);
});

it('a request that was answered has delivered its answer and no longer refers to it', () => {
  quietRequestQueue();
  const queue = newQueue();
  const resolve = jest.fn();
  queue.push(request(1, () => undefined, undefined, resolve));
  const sent = queue.inflight.get(1);
  expect(sent?.entry).toBeDefined();

  queue.fulfillRequest({ correlationId: 1, payload: Buffer.of(7), size: 1 });
  expect(resolve).toHaveBeenCalledWith(expect.objectContaining({ payload: Buffer.of(7) }));
  expect(sent).toMatchObject({
    entry: undefined,
    sendRequest: undefined,
    timeoutHandler: undefined,
  });
});

/** Counts the checks that timers cause in the second after one answered request. */
function checksInOneIdleSecond(): number {
  jest.useFakeTimers();
  const queue = newQueue();
  queue.push(request(1, () => undefined));
  queue.fulfillRequest({ correlationId: 1, payload: Buffer.alloc(0), size: 0 });

  const checks = jest.spyOn(queue, 'checkPendingRequests');
  jest.advanceTimersByTime(1_000);
  queue.destroy();
  return checks.mock.calls.length;
}

const newQueue = (options: { enforceRequestTimeout?: boolean; isConnected?: () => boolean } = {}) =>
  new RequestQueue({
    maxInFlightRequests: null,
    requestTimeout: 1_000,
    enforceRequestTimeout: false,
    clientId: 'test',
    broker: 'nowhere:9092',
    logger: { debug: () => undefined, warn: () => undefined },
    ...options,
  });

const request = (
  correlationId: number,
  sendRequest: () => void,
  reject: (error: unknown) => void = () => undefined,
  resolve: (response: object) => void = () => undefined,
) => ({
  entry: {
    correlationId,
    apiName: 'Test',
    apiKey: 0,
    apiVersion: 0,
    resolve,
    reject,
  },
  expectResponse: true,
  sendRequest,
});

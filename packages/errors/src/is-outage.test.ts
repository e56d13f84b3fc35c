import { describe, expect, it } from '@jest/globals';
import { isOutage } from './is-outage.js';

const withCode = (code: string) => Object.assign(new Error('it failed'), { code });

const kafkajs = (name: string, retriable: boolean) =>
  Object.assign(new Error('it failed'), { name, retriable });

describe('an outage', () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['a name that does not resolve', withCode('EAI_AGAIN')],
    ['every address of a host refused', new AggregateError([withCode('ECONNREFUSED')])],
    ['a database that went away', new Error('Connection terminated unexpectedly')],
    [
      'a client that lost it',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['a pool with no free connection', new Error('timeout exceeded when trying to connect')],
    ['a database that does not answer', new Error('Query read timeout')],
    ['a connection exception', withCode('08006')],
    ['a database that is restarting', withCode('57P01')],
    ['a database that is starting', withCode('57P03')],
    ['a statement that took too long', withCode('57014')],
    ['too many connections', withCode('53300')],
    ['a full disk', withCode('53100')],
    ['a standby that only reads', withCode('25006')],
    ['a deadlock', withCode('40P01')],
    ['a call that took too long', new DOMException('too slow', 'TimeoutError')],
    ['a Kafka that hangs while it is connected to', new Error('Broker not connected')],
    ['a Kafka that does not answer', kafkajs('KafkaJSRequestTimeoutError', true)],
    [
      'a Kafka that was tried often enough',
      Object.assign(kafkajs('KafkaJSNumberOfRetriesExceeded', false), {
        cause: kafkajs('KafkaJSConnectionError', true),
      }),
    ],
    [
      'fetch, with its reason inside',
      new TypeError('fetch failed', { cause: withCode('ECONNRESET') }),
    ],
  ])('is %s', (_, error) => {
    expect(isOutage(error)).toBe(true);
  });
});

describe('no outage', () => {
  it.each([
    ['a constraint', withCode('23505')],
    ['text that Postgres cannot store', withCode('22021')],
    ['a table that is not there', withCode('42P01')],
    ['a file that is not there', withCode('ENOENT')],
    ['a Kafka that refuses for good', kafkajs('KafkaJSSASLAuthenticationError', false)],
    ['a mistake of ours', new TypeError('undefined is not a function')],
    ['somebody else saying the words', new Error('The user wrote: connection terminated')],
    ['something that is no error at all', 'Connection terminated'],
    ['nothing', undefined],
  ])('is %s', (_, error) => {
    expect(isOutage(error)).toBe(false);
  });

  it('is an error that is its own cause', () => {
    const error = new Error('round and round');
    error.cause = error;
    expect(isOutage(error)).toBe(false);
  });
});

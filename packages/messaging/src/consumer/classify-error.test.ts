import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { classifyError } from './classify-error.js';
import { RecordError } from './record-error.js';

const withCode = (code: string, message = 'it failed') =>
  Object.assign(new Error(message), { code });

const grpcStatus = (code: number) =>
  Object.assign(new Error(`${code} X: it failed`), { code, details: 'it failed', metadata: {} });

describe('an error of the infrastructure', () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['every address of a host refused', new AggregateError([withCode('ECONNREFUSED')])],
    ['a server that went away', new Error('Connection terminated unexpectedly')],
    ['a serialization failure', withCode('40001')],
    ['an idle transaction that was ended', withCode('25P03')],
    ['a table that the deploy has not made yet', withCode('42P01')],
    ['a password that was changed', withCode('28P01')],
    ['a role that may not come in', withCode('28000')],
    ['a database that is being restored', withCode('3D000')],
    ['a statement prepared before the deploy', withCode('0A000', 'cached plan must not change')],
    ['a statement that the pooler forgot', withCode('26000')],
    ['a socket that was closed before it was written to', withCode('ERR_STREAM_DESTROYED')],
    ['a service that is down, as gRPC says it', grpcStatus(14)],
    ['a call that took too long, as gRPC says it', grpcStatus(4)],
    ['an aborted call', new DOMException('too slow', 'TimeoutError')],
    ['a service that is down', new AppError('authentication_unavailable', 'Auth is down.')],
    ['a stream somebody else moved', new AppError('stream_contended', 'Try again.')],
  ])('never counts against the record: %s', (_, error) => {
    expect(classifyError(error)).toBe('infrastructure');
  });

  it('is found behind the error that wraps it', () => {
    const wrapped = new Error('could not store', {
      cause: new Error('x', { cause: withCode('57P03') }),
    });
    expect(classifyError(wrapped)).toBe('infrastructure');
  });
});

describe('an error of the record', () => {
  it.each([
    ['a bad record', new RecordError('ce_id_missing', 'ce_id is missing.')],
    [
      'a bad record, found by a call that failed',
      new RecordError('x', 'y', { cause: withCode('57014') }),
    ],
    ['a constraint', withCode('23505')],
    ['text that Postgres cannot store', withCode('22021')],
    ['a mistake in the handler', new TypeError('undefined is not a function')],
    ['a refusal of the domain', new AppError('webhook_disabled', 'It is not active.')],
    ['an argument that a service refuses, as gRPC says it', grpcStatus(3)],
    ['a number that is no status of gRPC', Object.assign(new Error('x'), { code: 14 })],
    ['something that is no error at all', 'boom'],
  ])('counts: %s', (_, error) => {
    expect(classifyError(error)).toBe('record');
  });
});

it('a bad record costs no stack, and the errors after it have theirs', () => {
  expect(new RecordError('ce_id_missing', 'ce_id is missing.').stack).not.toMatch(/\n *at /);
  expect(new Error('another').stack).toMatch(/\n *at /);
});

import { type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { fromGrpcError, toGrpcStatus } from './status.js';

describe('an error that crosses gRPC', () => {
  it.each([
    ['not_found', status.NOT_FOUND],
    ['conflict', status.FAILED_PRECONDITION],
    ['contended', status.ABORTED],
    ['unprocessable', status.FAILED_PRECONDITION],
    ['unavailable', status.UNAVAILABLE],
  ] as const)('arrives as the %s it was', (kind, code) => {
    const error = new AppError({ kind, code: 'its_code' }, 'What to do.', { retryAfterS: 3 });
    expect(toGrpcStatus(error)).toMatchObject({ code, details: 'What to do.' });
    expect(arrived(error)).toMatchObject({
      kind,
      code: 'its_code',
      message: 'What to do.',
      retryAfterS: 3,
    });
  });

  it('keeps an unforeseen cause at home', () => {
    const sent = toGrpcStatus(new Error('postgres://svc:hunter2@db'));
    expect(sent).toMatchObject({
      code: status.INTERNAL,
      details: 'Something went wrong on our side.',
    });
    expect(JSON.stringify(sent.metadata.toJSON())).not.toContain('hunter2');
  });

  it('carries google.rpc details that other languages can read', () => {
    const error = new AppError('invalid_request', 'Bad.', {
      fields: [{ field: 'provider', code: 'required', message: 'This field is required.' }],
      retryAfterS: 200,
    });
    const [details] = toGrpcStatus(error).metadata.get('grpc-status-details-bin');
    const violation = [field(1, 'provider'), field(2, 'This field is required.')];
    expect(details).toEqual(
      Buffer.concat([
        Buffer.of(tag(1, VARINT), status.INVALID_ARGUMENT),
        field(2, 'Bad.'),
        field(3, any('ErrorInfo'), field(2, field(1, 'invalid_request'), field(2, 'junction'))),
        field(3, any('BadRequest'), field(2, field(1, ...violation, field(3, 'required')))),
        // 200 seconds take two bytes.
        field(3, any('RetryInfo'), field(2, field(1, Buffer.of(tag(1, VARINT), 0xc8, 0x01)))),
      ]),
    );
  });
});

describe('a failed call', () => {
  it.each([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED])(
    'that could not be made in time (%s) is unavailable',
    (code) => {
      expect(fromGrpcError(bare(code))).toMatchObject({
        kind: 'unavailable',
        code: 'service_unavailable',
      });
    },
  );

  it.each([
    status.UNAUTHENTICATED,
    status.PERMISSION_DENIED,
    status.UNIMPLEMENTED,
    status.INTERNAL,
  ])('that we got wrong ourselves (%s) is internal, and no 401 for our user', (code) => {
    expect(fromGrpcError(bare(code))).toMatchObject({ kind: 'internal', code: 'internal' });
  });

  it.each(['service_token_refused', 'scope_missing'] as const)(
    'refused before the method (%s) is too',
    (code) => {
      expect(arrived(new AppError(code, 'No.'))).toMatchObject({
        kind: 'internal',
      });
    },
  );
});

const arrived = (error: AppError): AppError =>
  fromGrpcError(Object.assign(new Error('call failed'), toGrpcStatus(error)));

const bare = (code: status): ServiceError =>
  Object.assign(new Error('call failed'), {
    code,
    details: 'refused',
    metadata: undefined,
  }) as never;

// The decoder is written by hand from https://protobuf.dev/programming-guides/encoding, independent of the tested code.
const VARINT = 0;
const LENGTH_DELIMITED = 2;
const tag = (number: number, wireType: number): number => (number << 3) | wireType;

/** Encodes a field of at most 127 bytes. */
function field(number: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const value = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.of(tag(number, LENGTH_DELIMITED), value.length), value]);
}

const any = (type: string): Buffer => field(1, `type.googleapis.com/google.rpc.${type}`);

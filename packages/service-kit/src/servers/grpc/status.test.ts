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
    const error = new AppError(kind, 'its_code', 'What to do.', { retryAfterS: 3 });
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
    const error = new AppError('invalid', 'invalid_request', 'Bad.', {
      fields: [{ field: 'provider', code: 'required', message: 'This field is required.' }],
      retryAfterS: 200,
    });
    const [details] = toGrpcStatus(error).metadata.get('grpc-status-details-bin');
    expect(wire(details as Buffer)).toEqual([
      [1, status.INVALID_ARGUMENT],
      [2, 'Bad.'],
      [3, any('ErrorInfo'), [2, [1, 'invalid_request'], [2, 'junction']]],
      [
        3,
        any('BadRequest'),
        [2, [1, [1, 'provider'], [2, 'This field is required.'], [3, 'required']]],
      ],
      [3, any('RetryInfo'), [2, [1, [1, 200]]]],
    ]);
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

  it.each(['service_token_refused', 'scope_missing'])(
    'refused before the method (%s) is too',
    (code) => {
      expect(arrived(new AppError('unauthenticated', code, 'No.'))).toMatchObject({
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

const any = (type: string) => [1, `type.googleapis.com/google.rpc.${type}`];

type Field = readonly [number, ...unknown[]];

/** Protobuf without a schema: numbers, text, and whatever parses as a message is one. */
function wire(bytes: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.readUInt8(at++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag % 8 === 0) fields.push([tag >> 3, varint()]);
    else if (tag % 8 === 2) {
      const end = varint() + at;
      if (end > bytes.length) throw new Error('no message');
      const value = bytes.subarray(at, end);
      fields.push([tag >> 3, ...asMessageOrText(value)]);
      at = end;
    } else throw new Error('no message');
  }
  return fields;
}

function asMessageOrText(value: Buffer): readonly unknown[] {
  // Printable all through is text: our messages all begin with a tag, which is not printable.
  if (/^[\x20-\x7e]*$/.test(value.toString('latin1'))) return [value.toString()];
  return wire(value);
}

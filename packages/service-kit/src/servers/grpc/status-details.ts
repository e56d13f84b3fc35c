import type { AppError } from '@junction/errors';

const DOMAIN = 'junction';
const MESSAGE = 2;

/**
 * `google.rpc.Status` with ErrorInfo, BadRequest and RetryInfo: the details that tools and other
 * languages' clients know how to read. Three small messages that never change, so they are written by
 * hand here instead of bringing in a runtime.
 */
export function statusDetails(
  code: number,
  { code: reason, message, fields, retryAfterS }: AppError,
) {
  const details = [any('ErrorInfo', Buffer.concat([text(1, reason), text(2, DOMAIN)]))];
  if (fields.length > 0) {
    const violations = fields.map((field) =>
      block(1, text(1, field.field), text(2, field.message), text(3, field.code)),
    );
    details.push(any('BadRequest', Buffer.concat(violations)));
  }
  if (retryAfterS !== undefined) {
    details.push(any('RetryInfo', block(1, number(1, Math.ceil(retryAfterS)))));
  }
  return Buffer.concat([
    number(1, code),
    text(2, message),
    ...details.map((detail) => block(3, detail)),
  ]);
}

const any = (type: string, value: Buffer): Buffer =>
  Buffer.concat([text(1, `type.googleapis.com/google.rpc.${type}`), block(2, value)]);

const text = (field: number, value: string): Buffer => block(field, Buffer.from(value));

const block = (field: number, ...parts: readonly Buffer[]): Buffer => {
  const value = Buffer.concat(parts);
  return Buffer.concat([varint((field << 3) | MESSAGE), varint(value.length), value]);
};

const number = (field: number, value: number): Buffer =>
  Buffer.concat([varint(field << 3), varint(value)]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

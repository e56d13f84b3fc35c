/**
 * Arrays for a parameter such as `$1::uuid[]`, as Postgres itself sends them (array_send). Of a Buffer pg
 * says that it is in binary. As JavaScript arrays they would go as one text, put together and escaped
 * value by value, which took longer than all else that is done for a statement; bytea as hexadecimal.
 */
type Encode<Value> = (values: readonly (Value | null)[]) => Buffer;

/** Object ids of element types (pg_type.dat), which are the same in every Postgres. */
const BYTEA = 17;
const BIGINT = 20;
const SMALLINT = 21;
const INT = 23;
const TEXT = 25;
const DATE = 1082;
const TIMESTAMPTZ = 1184;
const UUID = 2950;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

const DAY_MS = 86_400_000;
/** Postgres counts from 2000-01-01. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const TWO_TO_32 = 2 ** 32;
const SMALLINT_MAX = 2 ** 15 - 1;
const INT_MAX = 2 ** 31 - 1;

/** Throws a RangeError for what does not fit, like all of these: a DataView would store another number. */
export const smallints = fixed<number>(SMALLINT, 2, (into, value, at) =>
  into.setInt16(at, fitting(value, SMALLINT_MAX)),
);

export const ints = fixed<number>(INT, 4, (into, value, at) =>
  into.setInt32(at, fitting(value, INT_MAX)),
);

/** Whole numbers in decimal. */
export const bigints: Encode<string> = (values) => bigintsOf(eachOnce(values, BigInt));

/** YYYY-MM-DD. */
export const dates: Encode<string> = (values) =>
  daysOf(eachOnce(values, (day) => (Date.parse(day) - EPOCH_MS) / DAY_MS));

export const timestamps = fixed<Date>(TIMESTAMPTZ, 8, (into, value, at) => {
  const microseconds = (value.getTime() - EPOCH_MS) * 1_000;
  const high = Math.floor(microseconds / TWO_TO_32);
  into.setInt32(at, fitting(high, INT_MAX));
  into.setUint32(at + 4, microseconds - high * TWO_TO_32);
});

/** In the usual form of 36 characters, with or without a prefix (`dlv_…`). Throws a RangeError for anything else. */
export const uuids = fixed<string>(UUID, 16, writeUuid);

export const texts: Encode<string> = (values) => varying(TEXT, eachOnce(values, toBytes));

export const byteas: Encode<Buffer> = (values) => varying(BYTEA, values);

const bigintsOf = fixed<bigint>(BIGINT, 8, (into, value, at) => {
  if (BigInt.asIntN(64, value) !== value) throw outOfRange(value);
  into.setBigInt64(at, value);
});
const daysOf = fixed<number>(DATE, 4, (into, value, at) =>
  into.setInt32(at, fitting(value, INT_MAX)),
);
const toBytes = (text: string): Buffer => Buffer.from(text);

/** The number, if it is one and lies between the maximum and one below its negative. */
function fitting(value: number, max: number): number {
  if (value >= -max - 1 && value <= max) return value;
  throw outOfRange(value);
}

const outOfRange = (value: number | bigint): RangeError =>
  new RangeError(`${value} does not fit into its column.`);

/** Converts each value. Of equal neighbours, which many columns have, only the first is converted. */
function eachOnce<From, To>(
  values: readonly (From | null)[],
  convert: (value: From) => To,
): (To | null)[] {
  let before: From | null = null;
  let converted: To | null = null;
  return values.map((value) => {
    if (value === before) return converted;
    before = value;
    converted = value === null ? null : convert(value);
    return converted;
  });
}

function fixed<Value>(
  type: number,
  bytes: number,
  write: (into: DataView, value: Value, at: number) => void,
): Encode<Value> {
  return (values) => {
    // With room for all: what is left of it at the end is not sent.
    const array = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + bytes));
    const view = new DataView(array.buffer, array.byteOffset, array.length);
    let at = writeHeader(view, type, values.length);
    values.forEach((value) => {
      view.setInt32(at, value === null ? NULL_LENGTH : bytes);
      at += LENGTH_BYTES;
      if (value === null) return;
      write(view, value, at);
      at += bytes;
    });
    return array.subarray(0, at);
  };
}

function varying(type: number, values: readonly (Buffer | null)[]): Buffer {
  const filled = values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
  const array = Buffer.allocUnsafe(HEADER_BYTES + values.length * LENGTH_BYTES + filled);
  const view = new DataView(array.buffer, array.byteOffset, array.length);
  let at = writeHeader(view, type, values.length);
  values.forEach((value) => {
    view.setInt32(at, value?.length ?? NULL_LENGTH);
    at += LENGTH_BYTES;
    if (value === null) return;
    array.set(value, at);
    at += value.length;
  });
  return array;
}

/**
 * Writes the header of an array with one dimension, counted from 1, in which nulls may occur. Returns the offset of the
 * first value.
 */
function writeHeader(array: DataView, type: number, length: number): number {
  for (const [index, word] of [1, 1, type, length, 1].entries()) array.setInt32(index * 4, word);
  return HEADER_BYTES;
}

const UUID_LENGTH = 36;
const HYPHEN = '-'.charCodeAt(0);
const UNDERSCORE = '_'.charCodeAt(0);
/** Values of hexadecimal digits by character code; 255: no digit. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? 255 : digit;
});

function writeUuid(into: DataView, text: string, start: number): void {
  const from = text.length - UUID_LENGTH;
  let isWrong = from < 0 || (from > 0 && text.charCodeAt(from - 1) !== UNDERSCORE);
  let at = start;
  for (let i = 0; i < UUID_LENGTH; i += 2) {
    if (i === 8 || i === 13 || i === 18 || i === 23)
      isWrong ||= text.charCodeAt(from + i++) !== HYPHEN;
    const high = DIGITS[text.charCodeAt(from + i)] ?? 255;
    const low = DIGITS[text.charCodeAt(from + i + 1)] ?? 255;
    isWrong ||= (high | low) > 15;
    into.setUint8(at++, (high << 4) | low);
  }
  if (isWrong) throw new RangeError('A value is to be stored as a UUID and is none.');
}

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { PublishRequest } from './gen/junction/events/v1/events.js';

/** Numbers of fields: of PublishRequest and PublishStreamRequest, and of google.protobuf.Timestamp. */
const TIME = 5;
const [SECONDS, NANOS] = [1, 2];
/** Bounds of a Timestamp (timestamp.proto): the years 1 to 9999, and fractions that count forward. */
const [SECONDS_MIN, SECONDS_MAX] = [-62_135_596_800n, 253_402_300_799n];
const NANOS_MAX = 999_999_999;

/**
 * An event as it came over gRPC. A Timestamp out of range becomes a Date that holds no time, which the rules of events
 * refuse. The generated decoder throws for some of them, and makes another time of the others.
 */
export function decodePublishRequest(bytes: Uint8Array): PublishRequest {
  const reader = new BinaryReader(bytes);
  const others: Uint8Array[] = [];
  let time: Date | undefined;
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [field, type] = reader.tag();
    if (field === TIME && type === WireType.LengthDelimited) time = timeIn(reader.bytes());
    else {
      reader.skip(type, field);
      others.push(bytes.subarray(start, reader.pos));
    }
  }
  return time === undefined
    ? PublishRequest.decode(bytes)
    : { ...PublishRequest.decode(Buffer.concat(others)), time };
}

/** Decodes a timestamp, to the millisecond. */
function timeIn(timestamp: Uint8Array): Date {
  const reader = new BinaryReader(timestamp);
  let seconds = 0n;
  let nanos = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === SECONDS && type === WireType.Varint) seconds = BigInt(reader.int64());
    else if (field === NANOS && type === WireType.Varint) nanos = reader.int32();
    else reader.skip(type, field);
  }
  const isInRange =
    seconds >= SECONDS_MIN && seconds <= SECONDS_MAX && nanos >= 0 && nanos <= NANOS_MAX;
  return new Date(isInRange ? Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000) : Number.NaN);
}

import { codecOf } from './decompress/decompress.js';
import { RecordReader } from './record-reader.js';

/** Before magic number 2 (Kafka 0.11) records have no headers. */
const MAGIC = 2;
const CODEC_MASK = 0x07;
const APPEND_TIME_FLAG = 0x08;
const TRANSACTIONAL_FLAG = 0x10;
const CONTROL_FLAG = 0x20;
const NO_PRODUCER = '-1';
const NO_TIME = -1;
const NOTHING = Buffer.alloc(0);

/** Byte offsets in a batch: https://kafka.apache.org/documentation/#recordbatch. */
const AT = {
  baseOffset: 0,
  magic: 16,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  count: 57,
  records: 61,
} as const;

/** The fields of kafkajs' records that are read. */
export interface FetchedMessage {
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer>>;
  readonly timestamp: string;
  readonly isControlRecord: boolean;
  readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean };
  /** Reason why a batch cannot be decoded. Such a message stands for the batch, at its last offset. */
  readonly undecodable?: string;
}

/** Bounds of a batch, uncompressed. */
export interface BatchMax {
  readonly bytes: number;
  readonly records: number;
}

export interface DecodedBatch {
  /** Uncompressed size. */
  readonly bytes: number;
  readonly messages: readonly FetchedMessage[];
}

/** Decodes one batch. A batch that cannot be decoded comes out as a single message that says why. */
export async function decodeBatch(batch: Buffer, max: BatchMax): Promise<DecodedBatch> {
  const magic = batch.readInt8(AT.magic);
  if (magic !== MAGIC || batch.length < AT.records) {
    return setAside(
      olderHeader(batch),
      `its format is of version ${magic}, and must be of ${MAGIC}`,
    );
  }
  const header = headerOf(batch);
  if (header.count > max.records)
    return setAside(header, `it holds more than ${max.records} records`);
  try {
    const records = await header.codec.decompress(batch.subarray(AT.records), max.bytes);
    return { bytes: records.length, messages: messagesOf(header, records) };
  } catch (error) {
    return setAside(header, wordsOf(error, max));
  }
}

interface Header {
  readonly baseOffset: bigint;
  readonly lastOffset: bigint;
  readonly count: number;
  readonly codec: ReturnType<typeof codecOf>;
  /** Timestamps in milliseconds. With `hasAppendTime` the last one is that of all records. */
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly hasAppendTime: boolean;
  readonly isControlRecord: boolean;
  readonly batchContext: FetchedMessage['batchContext'];
}

function headerOf(batch: Buffer): Header {
  const attributes = batch.readInt16BE(AT.attributes);
  const baseOffset = batch.readBigInt64BE(AT.baseOffset);
  return {
    baseOffset,
    lastOffset: baseOffset + BigInt(batch.readInt32BE(AT.lastOffsetDelta)),
    count: batch.readInt32BE(AT.count),
    codec: codecOf(attributes & CODEC_MASK),
    baseTimestamp: Number(batch.readBigInt64BE(AT.baseTimestamp)),
    maxTimestamp: Number(batch.readBigInt64BE(AT.maxTimestamp)),
    hasAppendTime: (attributes & APPEND_TIME_FLAG) !== 0,
    isControlRecord: (attributes & CONTROL_FLAG) !== 0,
    batchContext: {
      producerId: String(batch.readBigInt64BE(AT.producerId)),
      inTransaction: (attributes & TRANSACTIONAL_FLAG) !== 0,
    },
  };
}

/** Reads the header of an older format, which begins with the offset of the last record. */
function olderHeader(batch: Buffer): Header {
  const offset = batch.readBigInt64BE(AT.baseOffset);
  return {
    baseOffset: offset,
    lastOffset: offset,
    count: 1,
    codec: codecOf(0),
    baseTimestamp: NO_TIME,
    maxTimestamp: NO_TIME,
    hasAppendTime: false,
    isControlRecord: false,
    batchContext: { producerId: NO_PRODUCER, inTransaction: false },
  };
}

function messagesOf(header: Header, bytes: Buffer): readonly FetchedMessage[] {
  const reader = new RecordReader(bytes);
  const messages: FetchedMessage[] = [];
  while (messages.length < header.count) messages.push(messageOf(header, reader));
  if (!reader.isAtEnd) throw new Error('it holds more records than it says');
  return messages;
}

function messageOf(header: Header, batch: RecordReader): FetchedMessage {
  const { baseOffset, baseTimestamp, maxTimestamp, hasAppendTime } = header;
  const { isControlRecord, batchContext } = header;
  const record = new RecordReader(batch.bytes() ?? NOTHING);
  record.byte(); // its attributes, of which none is in use
  const timestamp = baseTimestamp + record.number();
  const message = {
    timestamp: String(hasAppendTime ? maxTimestamp : timestamp),
    offset: String(baseOffset + BigInt(record.number())),
    key: record.bytes(),
    value: record.bytes(),
    headers: headersOf(record),
    isControlRecord,
    batchContext,
  };
  if (!record.isAtEnd) throw new Error('a record is longer than what is in it');
  return message;
}

/** Reads headers. A repeated header keeps its first value. */
function headersOf(record: RecordReader): FetchedMessage['headers'] {
  const headers: Record<string, Buffer> = Object.create(null);
  for (let left = record.number(); left > 0; left--) {
    const name = record.bytes()?.toString('utf8');
    const value = record.bytes();
    if (name === undefined) throw new Error('a header has no name');
    if (value !== null) headers[name] ??= value;
  }
  return headers;
}

function setAside(header: Header, why: string): DecodedBatch {
  const { baseOffset, lastOffset, count, codec, batchContext } = header;
  const undecodable = `The batch of ${count} records with ${codec.name}, offsets ${baseOffset} to ${lastOffset}, cannot be decoded: ${why}.`;
  const message: FetchedMessage = {
    offset: String(lastOffset),
    key: null,
    value: null,
    headers: {},
    timestamp: String(header.maxTimestamp),
    isControlRecord: false,
    batchContext,
    undecodable,
  };
  return { bytes: 0, messages: [message] };
}

function wordsOf(error: unknown, { bytes }: BatchMax): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ERR_BUFFER_TOO_LARGE' ? `it holds more than ${bytes} bytes` : message;
}

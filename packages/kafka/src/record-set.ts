import { type BatchMax, decodeBatch, type FetchedMessage } from './record-batch.js';

/** Offset of a batch's length field, and number of bytes before those that the length counts. */
const LENGTH_AT = 8;
const PREFIX_BYTES = 12;
/** Bytes of the shortest batch, in the oldest format. */
const BATCH_BYTES_MIN = 26;

/**
 * Bounds of one batch. A broker accepts a mebibyte by default, as it is sent: a batch that was 16 times as long before
 * compression is still read. Our records have some 300 bytes at least, headers included.
 */
const BATCH_MAX: BatchMax = { bytes: 16 * 1_024 * 1_024, records: 50_000 };

/**
 * Amount of a response that is decoded already. Decoding ends behind the batch that exceeds the bounds: the next fetch
 * brings the rest again.
 */
export class DecodedSoFar {
  #bytes = 0;
  #records = 0;

  get isEnough(): boolean {
    return this.#bytes >= BATCH_MAX.bytes || this.#records >= BATCH_MAX.records;
  }

  add(bytes: number, records: number): void {
    this.#bytes += bytes;
    this.#records += records;
  }
}

/** Decodes the batches that a fetch brought for one partition, until enough of the whole response is decoded. */
export async function decodeRecordSet(
  set: Buffer,
  soFar: DecodedSoFar,
): Promise<readonly FetchedMessage[]> {
  const batches: (readonly FetchedMessage[])[] = [];
  for (let at = 0; at + BATCH_BYTES_MIN <= set.length && !soFar.isEnough; ) {
    const end = at + PREFIX_BYTES + set.readInt32BE(at + LENGTH_AT);
    // A broker cuts the last batch off at the requested number of bytes.
    if (end > set.length || end < at + BATCH_BYTES_MIN) break;
    const { bytes, messages } = await decodeBatch(set.subarray(at, end), BATCH_MAX);
    soFar.add(bytes, messages.length);
    batches.push(messages);
    at = end;
  }
  return batches.flat();
}

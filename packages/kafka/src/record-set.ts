import { type BatchMax, decodeBatch, type FetchedMessage } from './record-batch.js';

/** Where the length of a batch stands, and what comes before the bytes that it counts. */
const LENGTH_AT = 8;
const PREFIX_BYTES = 12;
/** The shortest there is, in the oldest format. */
const BATCH_BYTES_MIN = 26;

/**
 * Bounds of one batch. A broker takes a mebibyte by default, as it comes: a batch that was 16 times as long before it was
 * compressed is still read. Records of ours have some 300 bytes at least, headers included.
 */
const BATCH_MAX: BatchMax = { bytes: 16 * 1_024 * 1_024, records: 50_000 };

/** How much of an answer is decoded. Decoding ends behind the batch that exceeds the bounds: the next fetch brings the rest again. */
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

/** Decodes what a fetch brought of one partition, as far as there is enough of the whole answer. */
export async function decodeRecordSet(
  set: Buffer,
  soFar: DecodedSoFar,
): Promise<readonly FetchedMessage[]> {
  const batches: (readonly FetchedMessage[])[] = [];
  for (let at = 0; at + BATCH_BYTES_MIN <= set.length && !soFar.isEnough; ) {
    const end = at + PREFIX_BYTES + set.readInt32BE(at + LENGTH_AT);
    // A broker cuts the last batch off where the bytes end that it was asked for.
    if (end > set.length || end < at + BATCH_BYTES_MIN) break;
    const { bytes, messages } = await decodeBatch(set.subarray(at, end), BATCH_MAX);
    soFar.add(bytes, messages.length);
    batches.push(messages);
    at = end;
  }
  return batches.flat();
}

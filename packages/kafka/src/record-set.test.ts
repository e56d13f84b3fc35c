import { describe, expect, it } from '@jest/globals';
import encodeRecord from 'kafkajs/src/protocol/recordBatch/record/v0/index.js';
import { RecordBatch } from 'kafkajs/src/protocol/recordBatch/v0/index.js';
import { JAVA_BATCHES } from '../test/compressed.js';
import { DecodedSoFar, decodeRecordSet } from './record-set.js';

const GZIP = 1;
const MAGIC_AT = 16;
const CODEC_AT = 22;
const COUNT_AT = 57;
const RECORDS_AT = 61;
const MEBIBYTE = 1_024 * 1_024;

const decode = (...batches: readonly Buffer[]) =>
  decodeRecordSet(Buffer.concat(batches), new DecodedSoFar());

describe('a batch', () => {
  it.each(Object.entries(JAVA_BATCHES))('is read from Java with %s', async (_, base64) => {
    const messages = await decode(Buffer.from(base64, 'base64'));
    expect(messages.map(({ offset }) => offset)).toEqual(['7', '8', '9']);
    expect(messages[2]).toMatchObject({
      timestamp: '1767323045680',
      isControlRecord: false,
      batchContext: { producerId: '-1', inTransaction: false },
    });
    const texts = messages.map(({ key, value, headers }) => [
      String(key),
      String(value),
      Object.entries(headers).map(([name, header]) => `${name}=${String(header)}`),
    ]);
    const pad = 'x'.repeat(100);
    expect(texts[0]).toEqual(['user-0', `{"total":0,"pad":"${pad}"}`, ['ce_id=id-0']]);
    expect(texts[2]).toEqual(['user-2', `{"total":2,"pad":"${pad}"}`, ['ce_id=id-2']]);
  });

  it('is left for the next fetch when the broker has cut it off', async () => {
    const [whole, cut] = [await batchOf(0, ['a']), (await batchOf(1, ['b'])).subarray(0, -1)];
    expect(valuesOf(await decode(whole, cut))).toEqual(['a']);
  });

  it('has all its headers, however many there are', async () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `${index}`);
    const headers = Object.fromEntries(names.map((name) => [name, '']));
    const batch = await batchOf(0, ['a'], { headers });
    const [message] = await decode(batch);
    expect(Object.keys(message?.headers ?? {})).toHaveLength(names.length);
  });
});

describe('a batch that cannot be decoded', () => {
  it.each([
    ['of an unknown codec', /codec 5.*no such codec/, 'writeUInt8', 5, CODEC_AT],
    ['that is not what its codec writes', /lz4.*no LZ4 frame/, 'writeUInt8', 3, CODEC_AT],
    ['of an old format', /version 1/, 'writeUInt8', 1, MAGIC_AT],
    ['with fewer records than it says', /ends within/, 'writeInt32BE', 9, COUNT_AT],
    ['with more records than it says', /more records/, 'writeInt32BE', 1, COUNT_AT],
    ['with more than there may be', /more than 50000/, 'writeInt32BE', 50_001, COUNT_AT],
    ['with a record of no end', /ends within/, 'writeUInt16BE', 0xfefe, RECORDS_AT],
  ] as const)('%s is said to be so, and those beside it are read', async (_, why, write, n, at) => {
    const bad = await batchOf(1, ['b', 'c']);
    bad[write](n, at);
    const messages = await decode(await batchOf(0, ['a']), bad, await batchOf(3, ['d']));
    expect(valuesOf(messages)).toEqual(['a', 'null', 'd']);
    expect(messages[1]?.undecodable).toMatch(why);
  });

  it('stands at the last of its offsets, in its transaction, and tells where it began', async () => {
    const bad = await batchOf(41, ['b', 'c'], { transactional: true, producerId: 5 });
    bad.writeUInt8(bad.readUInt8(CODEC_AT) | 7, CODEC_AT);
    expect(await decode(bad)).toMatchObject([
      {
        offset: '42',
        batchContext: { producerId: '5', inTransaction: true },
        undecodable: expect.stringContaining('2 records with codec 7, offsets 41 to 42,'),
      },
    ]);
  });

  it('is one that would fill the memory', async () => {
    const bomb = await batchOf(0, ['a'.repeat(17 * MEBIBYTE)], { compression: GZIP });
    expect(bomb.length).toBeLessThan(MEBIBYTE);
    const [message] = await decode(bomb);
    expect(message?.undecodable).toMatch(
      'gzip, offsets 0 to 0, cannot be decoded: it holds more than 16777216 bytes',
    );
  });
});

it('no more of an answer is decoded than the memory has room for, and what comes next is fetched again', async () => {
  const large = await batchOf(0, ['a'.repeat(9 * MEBIBYTE)], { compression: GZIP });
  const soFar = new DecodedSoFar();
  expect(await decodeRecordSet(Buffer.concat([large, large, large]), soFar)).toHaveLength(2);
  expect(await decodeRecordSet(await batchOf(0, ['of another partition']), soFar)).toEqual([]);
});

const valuesOf = (messages: readonly { readonly value: Buffer | null }[]) =>
  messages.map(({ value }) => String(value));

interface BatchOptions {
  readonly compression?: number;
  readonly transactional?: boolean;
  readonly producerId?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a batch as kafkajs writes it. */
async function batchOf(firstOffset: number, values: readonly string[], options: BatchOptions = {}) {
  const { headers = {}, ...of } = options;
  const records = values.map((value, offsetDelta) =>
    encodeRecord({ offsetDelta, key: 'k', value, headers }),
  );
  const last = { lastOffsetDelta: values.length - 1 };
  const { buffer } = await RecordBatch({ firstOffset, records, ...last, ...of });
  return Buffer.from(buffer);
}

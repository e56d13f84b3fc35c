import { describe, expect, it } from '@jest/globals';
import { Partitioners } from 'kafkajs';
import { byKey, murmur2 } from './partitioner.js';

const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({
  partitionErrorCode: 0,
  partitionId,
  leader: 0,
  replicas: [0],
  isr: [0],
}));

describe('the partition of a key', () => {
  it('is that of the Java client', () => {
    // From the tests of org.apache.kafka.common.utils.Utils.
    const known = { '21': -973932308, foobar: -790332482, 'a-little-bit-long-string': -985981536 };
    for (const [key, hash] of Object.entries(known)) expect(murmur2(Buffer.from(key))).toBe(hash);
  });

  it('is that of kafkajs, whatever the length and the bytes of the key', () => {
    const theirs = Partitioners.DefaultPartitioner();
    const ours = byKey();
    const text = 'account-0é19d7ð€f2-aŽ3c4-7';
    for (let length = 0; length <= text.length; length++) {
      const record = {
        topic: 't',
        partitionMetadata,
        message: { key: text.slice(0, length), value: null },
      };
      expect(ours(record)).toBe(theirs(record));
    }
  });
});

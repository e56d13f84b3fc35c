import { describe, expect, it } from '@jest/globals';
import { createTopic, topicsOf } from '@junction/local-stack';
import { eventually } from './eventually.js';
import { useBroker } from './use-broker.js';

const other = useBroker();

describe('the broker of a test file', () => {
  it('deletes the topics of that file after it, and no others', async () => {
    const { broker, prefix, end } = brokerOfAFile();
    await createTopic(broker, `${prefix}mine.v1`);
    await createTopic(broker, `${other.prefix}theirs.v1`);

    await end();
    await eventually(async () => {
      const topics = await topicsOf(broker);
      expect(topics).toContain(`${other.prefix}theirs.v1`);
      expect(topics).not.toContain(`${prefix}mine.v1`);
    });
  });

  it('is of no use without its address', () => {
    const brokers = process.env['KAFKA_BROKERS'];
    try {
      delete process.env['KAFKA_BROKERS'];
      expect(() => useBroker()).toThrow('KAFKA_BROKERS is not set. Run npm test');
    } finally {
      process.env['KAFKA_BROKERS'] = brokers;
    }
  });
});

/** What a test file gets, and its end, to be called by hand. */
function brokerOfAFile() {
  const hooks = globalThis as unknown as { afterAll: unknown };
  const { afterAll } = hooks;
  let end = async () => undefined as void;
  hooks.afterAll = (run: () => Promise<void>) => (end = run);
  const { brokers, prefix } = useBroker();
  hooks.afterAll = afterAll;
  return { broker: brokers[0] ?? '', prefix, end };
}

import { describe, expect, it } from '@jest/globals';
import { GONE, job, many, resultsOf, Scheduled, TIMED_OUT } from '../../../../test/scheduled.js';
import type { Input } from './messages.js';
import { known } from './reading.js';

describe('changing a webhook while requests are under way', () => {
  const changed = (count = 10) => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', count));
    const older = [...scheduled.sent];
    const effects = scheduled.becomes('a', { version: 2, url: 'https://elsewhere' });
    return { scheduled, older, effects };
  };

  it('sends to the new version at once, however many requests of the older one are unanswered', () => {
    const { scheduled, older, effects } = changed();
    expect(older.length).toBeLessThan(10);
    expect(effects).toContainEqual({ kind: 'dropCircuit', webhookId: 'a' });
    expect(scheduled.sent.length).toBe(2 * older.length);
  });

  it('does not judge the new version by the answers of the older one, nor by their delay', () => {
    const { scheduled, older } = changed(4);
    const { pace } = scheduled.state.queues.get('a') ?? {};
    scheduled.pass(600);
    const results = resultsOf(
      older.flatMap((id) => scheduled.answer(id, GONE)),
      scheduled.pass(10),
    );
    expect(results).toHaveLength(older.length);
    for (const { version, isOutdated, fact } of results) {
      expect({ version, isOutdated }).toEqual({ version: 1, isOutdated: true });
      expect(fact).toMatchObject({ type: 'delivery.attempt_failed', data: { reason: 'http_410' } });
    }
    expect(scheduled.state.queues.get('a')).toMatchObject({ pace, underWay: 0 });
  });

  it.each<[string, boolean, Input]>([
    [
      'does not judge it by an older answer either once an event has seen the newer version',
      true,
      { kind: 'accepted', jobs: [job('a', 2, { webhookVersion: 2 })] },
    ],
    [
      'judges it by its answer while a load may still find it unchanged',
      false,
      { kind: 'webhookChanged', webhookId: 'a' },
    ],
  ])('%s', (_, isOutdated, input) => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.loads = false;
    scheduled.do(input);
    expect(scheduled.phase('a')).toBe('loading');
    const results = resultsOf(scheduled.answer('a1', TIMED_OUT), scheduled.pass(10));
    expect(results).toMatchObject([{ version: 1, isOutdated }]);
  });

  it('judges the new version by its own answers', () => {
    const { scheduled, older } = changed();
    const effects = scheduled.answer(scheduled.sent[older.length] ?? '', GONE);
    const written = effects.find(({ kind }) => kind === 'write');
    expect(written).toMatchObject({
      batch: 'gone',
      results: [{ version: 2, isOutdated: false, fact: { data: { gone: true } } }],
    });
  });
});

describe('losing a shard', () => {
  it('deletes its queues once no request is under way', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 10), job('b', 1, { shard: 1 }));
    const lost = () => {
      scheduled.do({ kind: 'shardLost', shard: 0 });
      return [...known(scheduled.state).keys()];
    };
    scheduled.loads = false;
    expect(lost()).toEqual(['a', 'b']);
    expect(scheduled.phase('a')).toBe('loading');
    expect(scheduled.state.inHand.ids.size).toBe(scheduled.underWay.size);
    scheduled.answerAll();
    scheduled.written(resultsOf(scheduled.pass(10)).slice(0, 1));
    expect(lost()).toEqual(['a', 'b']);
    scheduled.finishAll();
    expect(lost()).toEqual(['b']);
  });

  it('loads a webhook once more whose load was under way, since that may be older than a change', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    scheduled.accept(job('a', 1));
    scheduled.do({ kind: 'shardLost', shard: 0 });
    scheduled.accept(job('a', 1));
    scheduled.load('a');
    expect(scheduled.sent).toEqual([]);
    scheduled.load('a');
    expect(scheduled.sent).toEqual(['a1']);
  });
});

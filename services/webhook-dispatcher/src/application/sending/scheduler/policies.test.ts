import { describe, expect, it } from '@jest/globals';
import {
  GONE,
  job,
  kinds,
  resultsOf,
  Scheduled,
  TIMED_OUT,
  target,
} from '../../../../test/scheduled.js';
import type { Job } from '../../job.js';
import type { OrderedHead } from '../due-work.js';
import { overflow } from './queue.js';
import { blocked, orderedWaiting } from './reading.js';

describe('sending to an ordered webhook', () => {
  const ordered = () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { ordered: true }));
    scheduled.accept(job('a', 1), job('a', 2));
    return scheduled;
  };
  const readHead = (scheduled: Scheduled, ...jobs: readonly Job[]) =>
    headRead(scheduled, { waitMs: 0, jobs });
  const headRead = (scheduled: Scheduled, head: OrderedHead, startedMs = scheduled.nowMs) =>
    scheduled.do({
      kind: 'orderedRead',
      webhookIds: ['a'],
      startedMs,
      work: new Map([['a', head]]),
    });
  const notDue = { waitMs: 3_600_000, jobs: [] };
  const waiting = ({ state, nowMs }: Scheduled) =>
    orderedWaiting(state, { nowMs, epochOf: () => '1' });

  it('sends the oldest delivery, and each next one once the one before is written', () => {
    const scheduled = ordered();
    expect(scheduled.sent).toEqual([]);
    expect(waiting(scheduled)).toEqual(['a']);
    readHead(scheduled, job('a', 1), job('a', 2));
    expect(scheduled.sent).toEqual(['a1']);
    const [result] = resultsOf(scheduled.answer('a1'), scheduled.pass(10));
    expect(scheduled.sent).toEqual(['a1']);
    scheduled.written(result ? [result] : []);
    expect(scheduled.sent).toEqual(['a1', 'a2']);
  });

  it('sends on what it has read when a load finds the webhook ordered as before', () => {
    const scheduled = ordered();
    readHead(scheduled, job('a', 1), job('a', 2));
    scheduled.becomes('a', { ordered: true });
    scheduled.written(resultsOf(scheduled.answer('a1'), scheduled.pass(10)));
    expect(scheduled.sent).toEqual(['a1', 'a2']);
  });

  it.each([
    ['a failure', TIMED_OUT],
    ['a 410, since the webhook may have changed meanwhile', GONE],
  ])('leaves the deliveries behind %s to the table', (_, answer) => {
    const scheduled = ordered();
    readHead(scheduled, job('a', 1), job('a', 2));
    const results = resultsOf(scheduled.answer('a1', answer), scheduled.pass(10));
    expect(kinds(scheduled.written(results))).toContain('read');
    expect(scheduled.sent).toEqual(['a1']);
  });

  it('is read apart from all others, by the replica of its shard, until nothing is found', () => {
    const scheduled = ordered();
    const { state } = scheduled;
    scheduled.accept(job('b', 1));
    for (const queue of state.queues.values()) overflow(state, queue);
    expect([blocked(state), waiting(scheduled)]).toEqual([['a'], ['a']]);
    expect(orderedWaiting(state, { nowMs: 0, epochOf: () => undefined })).toEqual([]);
    scheduled.do({ kind: 'readStarted' });
    headRead(scheduled, notDue);
    expect(scheduled.phase('a')).toBe('overflowed');
    const webhookIds = ['a', 'gone'];
    scheduled.do({ kind: 'orderedRead', webhookIds, startedMs: 0, work: new Map() });
    expect(scheduled.phase('a')).toBe('active');
    expect([blocked(state), waiting(scheduled)]).toEqual([[], []]);
  });

  it('reads again when the oldest delivery is due, and at once when the webhook may have changed', () => {
    const scheduled = ordered();
    scheduled.pass(1);
    headRead(scheduled, notDue);
    expect(waiting(scheduled)).toEqual([]);
    expect(kinds(scheduled.becomes('a', { ordered: true }))).toContain('read');
    expect(waiting(scheduled)).toEqual(['a']);
    scheduled.pass(1);
    headRead(scheduled, notDue);
    scheduled.pass(3_600_000);
    expect(waiting(scheduled)).toEqual(['a']);
    expect(kinds(scheduled.becomes('a', {}))).toContain('read');
  });

  it('reads again after a change that came during the read', () => {
    const scheduled = ordered();
    scheduled.pass(1);
    const startedMs = scheduled.nowMs;
    scheduled.becomes('a', { ordered: true });
    headRead(scheduled, notDue, startedMs);
    expect(waiting(scheduled)).toEqual(['a']);
  });

  it('ends as held what is filed as pending after the webhook was disabled', () => {
    const scheduled = ordered();
    scheduled.becomes('a', { ordered: true, status: 'disabled' });
    expect(blocked(scheduled.state)).toEqual([]);
    const effects = scheduled.accept(job('a', 3));
    expect(effects).toContainEqual({ kind: 'endPending', webhookId: 'a', as: 'held' });
  });
});

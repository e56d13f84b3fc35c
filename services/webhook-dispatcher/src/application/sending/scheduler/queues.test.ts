import { describe, expect, it } from '@jest/globals';
import { job, target } from '../../../../test/scheduled.js';
import { QUEUES_MAX } from './limits.js';
import type { Context } from './messages.js';
import { FAILING_PACE } from './pace.js';
import { becomeKnown, overflow, type Queue } from './queue.js';
import { openQueue } from './queues.js';
import { newState } from './state.js';
import { offerRead, step } from './step.js';

describe('the queues of a replica, when there are as many as it keeps', () => {
  it('make room by letting go of the one that has been quiet longest, its circuit with it', () => {
    const { context, open } = full();
    expect(open('new')).toBeDefined();
    expect(context.effects).toEqual([{ kind: 'dropCircuit', webhookId: 'w0' }]);
    expect(context.state.queues.has('w0')).toBe(false);
  });

  it('find a quiet one behind however many that are not', () => {
    const { context, all, open } = full();
    const keep: readonly ((queue: Queue) => void)[] = [
      (queue) => void (queue.phase = { kind: 'loading', target: undefined, leftIn: 1 }),
      (queue) => overflow(context.state, queue),
      (queue) => void queue.jobs.push({ job: job('w', 1), decided: undefined }),
      (queue) => void queue.underWay++,
      (queue) => void queue.unwritten++,
    ];
    for (const [n, queue] of all.slice(0, 250).entries()) keep[n % keep.length]?.(queue);
    const opened = [open('new'), open('new'), open('new')];
    expect(opened.map((queue) => queue !== undefined)).toEqual([false, false, true]);
    expect(context.effects).toEqual([{ kind: 'dropCircuit', webhookId: 'w250' }]);
    expect(context.state.queues.get('w0')).toBe(all[0]);
  });

  it('leave the deliveries of another webhook to the table when none is quiet', () => {
    const { context, all } = full();
    const { state } = context;
    for (const queue of all) overflow(state, queue);
    const jobs = [job('new', 1)];
    expect(step(state, [{ kind: 'accepted', jobs }], context)).toEqual([]);
    expect(offerRead(state, jobs, context)).toMatchObject({ turnedAway: 1 });
    state.admission = { messageId: 'm1', isAdmitted: false };
    expect(step(state, [{ kind: 'accepted', jobs }], context)).toEqual([]);
  });

  it.each<[string, (queue: Queue) => void]>([
    ['is slow', (queue) => void (queue.pace = FAILING_PACE)],
    ['is ordered', (queue) => becomeKnown(queue, target('w0', { ordered: true }))],
    ['is paused', (queue) => becomeKnown(queue, target('w0', { status: 'paused' }))],
  ])('evict one that %s, though some of its deliveries wait in the table', (_, become) => {
    const { context, all, open } = full();
    for (const queue of all) overflow(context.state, queue);
    all.slice(0, 1).forEach(become);
    expect(open('new')).toBeDefined();
    expect(context.state.queues.has('w0')).toBe(false);
  });
});

function full() {
  const state = newState();
  const context: Context = { state, effects: [], nowMs: 0, epochOf: () => '1' };
  const open = (webhookId: string) => openQueue(context, job(webhookId, 1));
  const all = Array.from({ length: QUEUES_MAX }, (_, n) => open(`w${n}`)).filter(
    (queue): queue is Queue => queue !== undefined,
  );
  for (const queue of all) becomeKnown(queue, target(queue.webhookId));
  return { context, all, open };
}

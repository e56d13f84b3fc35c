import { describe, expect, it } from '@jest/globals';
import type { Candidate, ReplaySpan } from './ports.js';
import { batchOf, fits, obstacleOf, roomAfter, SCANNED_MAX } from './replay-batch.js';

const span: ReplaySpan = {
  from: new Date(0),
  to: new Date(1),
  outcomes: ['exhausted', 'held', 'retrying'],
};

describe('a replay', () => {
  it.each<[string, Partial<Candidate>, boolean]>([
    ['that ended as it is wanted', {}, true],
    ['that was held', { status: 'held' }, true],
    ['that succeeded, which is not wanted', { status: 'succeeded' }, false],
    ['that repeats another one', { isRepeat: true }, false],
    ['whose payload was redacted', { isRedacted: true }, false],
    ['that retention has taken', { kind: null }, false],
  ])('decides by its state about a delivery %s', (_, as, isSent) => {
    expect(fits(candidate(1, as), span)).toBe(isSent);
  });

  it('sends the chosen kinds alone', () => {
    expect(fits(candidate(1), { ...span, kinds: ['draft.created'] })).toBe(true);
    expect(fits(candidate(1), { ...span, kinds: ['draft.sent'] })).toBe(false);
  });

  it('is cancelled when its webhook is disabled or deleted', () => {
    expect(obstacleOf('active')).toBeUndefined();
    expect(obstacleOf('paused')).toBeUndefined();
    expect(obstacleOf('disabled')).toBe('webhook_disabled');
    expect(obstacleOf(undefined)).toBe('webhook_deleted');
  });
});

describe('the room of a replay', () => {
  it.each([
    ['doubles when all is answered', { room: 64, perS: 0 }, 0, 128],
    ['ends where others would wait too long', { room: 300, perS: 5_000 }, 0, 400],
    ['is what is answered in two seconds', { room: 400, perS: 90 }, 200, 180],
    ['does not grow while something is due', { room: 128, perS: 900 }, 1, 128],
    ['is enough for what is under way, however slow the receiver', { room: 64, perS: 0.1 }, 64, 64],
  ])('%s', (_, replay, due, room) => {
    expect(roomAfter(replay, due)).toBe(room);
  });
});

describe('a batch', () => {
  it('repeats what ended, and has attempted now what waits for another attempt', () => {
    const scanned = [candidate(1), candidate(2, { status: 'retrying' }), candidate(3)];
    const { ended, waiting } = batchOf(scanned, span, free(100));
    expect(ended).toEqual([scanned[0], scanned[2]]);
    expect(waiting).toEqual(['dlv_2']);
  });

  it('ends at the last delivery that has room, and the next one goes on from there', () => {
    const scanned = [candidate(1), candidate(2, { isRepeat: true }), candidate(3), candidate(4)];
    expect(batchOf(scanned, span, free(2))).toEqual({
      ended: [scanned[0], scanned[2]],
      waiting: [],
      lastDeliveryId: 'dlv_3',
      isLast: false,
      bytes: 200,
      isShort: false,
    });
    expect(batchOf(scanned, span, free(3))).toMatchObject({
      lastDeliveryId: 'dlv_4',
      isLast: true,
    });
  });

  it('passes over what does not fit, also when nothing does', () => {
    const scanned = [candidate(1, { isRedacted: true }), candidate(2, { isRedacted: true })];
    const nothing = { ended: [], waiting: [], isLast: true, bytes: 0, isShort: false };
    expect(batchOf(scanned, span, free(1))).toEqual({ ...nothing, lastDeliveryId: 'dlv_2' });
    expect(batchOf([], span, free(1))).toEqual({ ...nothing, lastDeliveryId: null });
  });

  it('ends before the first delivery that has more bytes than are left', () => {
    const scanned = [candidate(1), candidate(2, { status: 'retrying' }), candidate(3)];
    const twoFit = { ended: [scanned[0]], waiting: ['dlv_2'], lastDeliveryId: 'dlv_2', bytes: 200 };
    expect(batchOf(scanned, span, free(3, 299))).toMatchObject({ ...twoFit, isShort: false });
    const noneFit = { lastDeliveryId: null, isLast: false, bytes: 0, isShort: true };
    expect(batchOf(scanned, span, free(3, 99))).toMatchObject(noneFit);
    expect(batchOf([candidate(1, { isRedacted: true })], span, free(3, -1)).isShort).toBe(false);
  });

  it('is the last one when fewer deliveries were found than looked for', () => {
    const full = Array.from({ length: SCANNED_MAX }, (_, n) => candidate(n));
    expect(batchOf(full, span, free(SCANNED_MAX)).isLast).toBe(false);
    expect(batchOf(full.slice(1), span, free(SCANNED_MAX)).isLast).toBe(true);
  });
});

const free = (deliveries: number, bytes = Number.POSITIVE_INFINITY) => ({ deliveries, bytes });

const candidate = (n: number, as: Partial<Candidate> = {}): Candidate => ({
  day: '2030-01-01',
  deliveryId: `dlv_${n}`,
  kind: 'draft.created',
  isRepeat: false,
  isRedacted: false,
  bytes: 100,
  status: 'exhausted',
  ...as,
});

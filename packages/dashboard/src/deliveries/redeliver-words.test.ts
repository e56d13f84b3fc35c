import { describe, expect, it } from '@jest/globals';
import { redeliveryOf } from './redeliver-words.js';

const active = { status: 'active' } as const;
const at = '2026-01-01T00:00:00.000Z';
const resting = { ...active, circuit: { state: 'open', opened_at: at, probe_at: at } } as const;

describe('sending a delivery again', () => {
  it.each(['held', 'succeeded', 'exhausted', 'refused', 'cancelled'] as const)(
    'creates a new delivery when it ended as %s',
    (status) => {
      expect(redeliveryOf({ status }, active)).toMatchObject({
        label: 'Resend',
        about: expect.stringContaining('new delivery'),
      });
    },
  );

  it('makes the next attempt now when it is retrying, and uses up none of the schedule', () => {
    expect(redeliveryOf({ status: 'retrying' }, active)).toMatchObject({
      label: 'Retry now',
      about: expect.stringContaining('doesn’t use up'),
    });
  });

  it('is not offered while it is due anyway, or waits until the webhook is resumed', () => {
    expect(redeliveryOf({ status: 'pending' }, active)).toBeUndefined();
    expect(redeliveryOf({ status: 'retrying' }, { status: 'paused' })).toBeUndefined();
  });

  it('tests the receiver while its circuit is open', () => {
    for (const status of ['pending', 'retrying'] as const) {
      expect(redeliveryOf({ status }, resting)?.about).toMatch(
        /tests the receiver with one request now/,
      );
    }
  });

  it('says why it is not possible', () => {
    const expunged = { status: 'exhausted', payload_expunged_at: at } as const;
    expect(redeliveryOf(expunged, active)).toEqual({ about: expect.stringContaining('deleted') });
    expect(redeliveryOf({ status: 'held' }, { status: 'disabled' })).toEqual({
      about: expect.stringContaining('Enable it'),
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import { DELIVERY_STATUSES } from '../api/types.js';
import { deliveryWords, marksOf, STATUS_LABELS } from './delivery-words.js';

describe('the words for a delivery', () => {
  it.each(DELIVERY_STATUSES)('are a sentence and a label when it is %s', (status) => {
    expect(STATUS_LABELS[status]).toMatch(/^[A-Z]/);
    expect(deliveryWords({ status, reason: null, attempt_count: 1 })).toMatch(/^[A-Z].*\.$/);
  });

  it('say why it is tried again', () => {
    expect(deliveryWords({ status: 'retrying', reason: 'http_500', attempt_count: 2 })).toBe(
      '2 attempts failed, and we’ll try again. The receiver answered 500 Internal Server Error. The logs of the receiver say why.',
    );
  });

  it('say why the egress guard refused it', () => {
    const words = deliveryWords({
      status: 'refused',
      reason: 'url_private_address',
      attempt_count: 1,
    });
    expect(words).toMatch(/^It was not sent, and won’t be tried again\. .*private/);
  });

  it('say at which attempt it was accepted', () => {
    expect(deliveryWords({ status: 'succeeded', reason: null, attempt_count: 3 })).toBe(
      'The receiver accepted it on attempt 3.',
    );
  });
});

describe('the labels of a delivery', () => {
  it.each([
    ['an event that came', false, null, null, []],
    ['a test', true, null, null, ['Test event']],
    ['its owner, again', false, 'dlv_1', null, ['Resent']],
    ['a replay', false, 'dlv_1', 'op_1', ['Replay']],
    ['a replay of a test', true, 'dlv_1', 'op_1', ['Test event', 'Replay']],
  ])('name its origin: %s', (_, test, redelivery_of, operation_id, marks) => {
    expect(marksOf({ test, redelivery_of, operation_id })).toEqual(marks);
  });
});

import { describe, expect, it } from '@jest/globals';
import {
  deliveryFilter,
  exportAddress,
  idIn,
  isFiltering,
  listView,
  madeAtMs,
  queryOf,
} from './filter.js';

const MESSAGE_ID = 'msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d';
const DELIVERY_ID = 'dlv_0190f3a0-0000-7000-8000-000000000001';
const NOW = new Date('2030-01-02T12:00:00Z');

describe('the filter in the address', () => {
  it('keeps all that the API takes', () => {
    const filter = {
      status: 'retrying',
      event_type: 'integration.reconnect_required',
      http_status: 500,
      message_id: MESSAGE_ID,
      webhook_id: 'wh_0190f3a0-0000-7000-8000-000000000000',
      text: 'ada@example.com',
      from: '2030-01-02T03:04:05.678Z',
      to: '2030-01-02T05:04+02:00',
      cursor: DELIVERY_ID,
    };
    expect(deliveryFilter({ ...filter, other: 1 })).toEqual(filter);
    expect(deliveryFilter({ http_status: '5xx', text: 4711 })).toEqual({
      http_status: '5xx',
      text: '4711',
    });
    expect(deliveryFilter({ text: 'a'.repeat(300) }).text).toHaveLength(200);
  });

  it('reads the earlier name of a kind of event, and keeps it under the present one', () => {
    const event_type = 'draft.created';
    expect(deliveryFilter({ kind: event_type })).toEqual({ event_type });
    expect(deliveryFilter({ kind: 'draft.sent', event_type })).toEqual({ event_type });
  });

  it.each([
    {},
    { status: 'lost' },
    { status: 7, event_type: ['draft.created'] },
    { event_type: 'toString' },
    { http_status: 600 },
    { http_status: '5x' },
    { message_id: 'msg_1' },
    { webhook_id: MESSAGE_ID },
    { period: 'toString' },
    { text: ' ' },
    { text: ['a'] },
    { from: '2030-13-41T00:00:00Z', to: 'yesterday' },
    { cursor: MESSAGE_ID },
  ])('leaves out what the API would refuse: %j', (search) => {
    expect(deliveryFilter(search)).toEqual({});
  });

  it('asks for all that wait by both of their statuses', () => {
    expect(deliveryFilter({ status: 'waiting' })).toEqual({ status: 'waiting' });
    expect(queryOf({ status: 'waiting' }, NOW)).toEqual({ status: 'pending,retrying' });
  });

  it('leaves out of what is held what was sent again, which the count of it does too', () => {
    expect(queryOf({ status: 'held' }, NOW)).toEqual({ status: 'held', sent_again: 'false' });
  });

  it('keeps the delivery that is open beside the list', () => {
    const open = `wh_0190f3a0-0000-7000-8000-000000000000.${DELIVERY_ID}`;
    expect(listView({ open })).toEqual({ open });
    expect(listView({ open: DELIVERY_ID })).toEqual({});
  });

  it('goes on behind a delivery, which leaves none out', () => {
    expect(queryOf({ cursor: DELIVERY_ID }, NOW)).toEqual({ cursor: DELIVERY_ID });
    expect([{ cursor: DELIVERY_ID }, { text: 'Ada' }].map(isFiltering)).toEqual([false, true]);
  });

  it('counts a period back from now', () => {
    expect(queryOf({ period: '24h', http_status: 500, event_type: 'draft.created' }, NOW)).toEqual({
      from: '2030-01-01T12:00:00.000Z',
      http_status: '500',
      event_type: 'draft.created',
    });
    expect(queryOf({ from: '2030-01-01T00:00:00Z' }, NOW)).toEqual({
      from: '2030-01-01T00:00:00Z',
    });
  });
});

it('is the filter of an export', () => {
  const filter = {
    status: 'held',
    period: '1h',
    webhook_id: 'wh_0190f3a0-0000-7000-8000-000000000000',
  } as const;
  expect(
    Object.fromEntries(new URLSearchParams(exportAddress(filter, 'csv', NOW).split('?')[1])),
  ).toEqual({
    status: 'held',
    sent_again: 'false',
    webhook_id: 'wh_0190f3a0-0000-7000-8000-000000000000',
    from: '2030-01-02T11:00:00.000Z',
    format: 'csv',
  });
});

describe('an id that is looked for', () => {
  it('is found in whatever was pasted', () => {
    expect(idIn(`webhook-id: ${MESSAGE_ID}\r\n`)).toBe(MESSAGE_ID);
    expect(idIn(`see /deliveries/${DELIVERY_ID}?x`)).toBe(DELIVERY_ID);
    expect(idIn('wh_0190f3a0-0000-7000-8000-000000000000')).toBeUndefined();
  });

  it('tells when the delivery was made', () => {
    expect(madeAtMs(DELIVERY_ID)).toBe(0x0190f3a00000);
  });
});

import { describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { dayOf, daysAround, lowestIdAt, prefixIds, storedIds, timeOfId } from './stored-id.js';

const MIDNIGHT = new Date('2030-03-01T00:00:00Z');
const ID = '019c0000-0000-7000-8000-000000000000';
const UUID = 2950;
const UUID_ARRAY = 2951;
const TEXT = 25;

describe('an id', () => {
  it('loses its prefix on the way into a statement, by the name of the parameter', () => {
    expect(
      storedIds({ delivery_id: `dlv_${ID}`, except_webhook_ids: [`wh_${ID}`], user_id: ID }),
    ).toEqual({ delivery_id: ID, except_webhook_ids: [ID], user_id: ID });
  });

  it('is not made of a value that is none', () => {
    const values = { ce_id: 'a_b', operation_id: null, message_ids: Buffer.of(1) };
    expect(storedIds(values)).toEqual(values);
  });

  it('gets its prefix on the way out, by the name and the type of the column', () => {
    const row = {
      original_id: ID,
      known_message_ids: [ID],
      last_delivery_id: null,
      user_id: ID,
      webhook_id: `wh_${ID}`,
    };
    const typeOf = (name: string) => (name.endsWith('s') ? UUID_ARRAY : UUID);
    const columns = Object.keys(row).map((name) => ({
      name,
      dataTypeID: name === 'webhook_id' ? TEXT : typeOf(name),
    }));
    prefixIds([row], columns);
    expect(row).toEqual({
      original_id: `dlv_${ID}`,
      known_message_ids: [`msg_${ID}`],
      last_delivery_id: null,
      user_id: ID,
      webhook_id: `wh_${ID}`,
    });
  });

  it('lies above the lowest one of its millisecond and below that of the next', () => {
    const id = newId('dlv', MIDNIGHT);
    expect(id > lowestIdAt(MIDNIGHT)).toBe(true);
    expect(id < lowestIdAt(new Date(MIDNIGHT.getTime() + 1))).toBe(true);
    expect(timeOfId(lowestIdAt(MIDNIGHT))).toEqual(MIDNIGHT);
    expect(lowestIdAt(new Date(0))).toBe('dlv_00000000-0000-0000-0000-000000000000');
  });

  it('may be filed under the day before or after its time', () => {
    expect(daysAround(lowestIdAt(MIDNIGHT))).toEqual(['2030-02-28', '2030-03-02']);
  });

  it('has days that exist even when it is invented, and so has any moment', () => {
    const last = '9999-12-31';
    expect(daysAround('dlv_ffffffff-ffff-ffff-ffff-ffffffffffff')).toEqual([last, last]);
    expect(dayOf(new Date('9999-12-31T23:59:59Z'), 86_400_000)).toBe(last);
    expect(lowestIdAt(new Date('0001-01-01T00:00:00Z'))).toBe(lowestIdAt(new Date(0)));
  });
});

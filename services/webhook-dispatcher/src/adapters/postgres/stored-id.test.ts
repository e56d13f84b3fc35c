import { describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { dayOf, daysAround, type Ids, idConversion, lowestIdAt, timeOfId } from './stored-id.js';

const MIDNIGHT = new Date('2030-03-01T00:00:00Z');
const ID = '019c0000-0000-7000-8000-000000000000';

describe('The ids of a statement', () => {
  it('lose their prefix where they are declared as parameters', () => {
    const values = [`dlv_${ID}`, [`wh_${ID}`], ID, null, Buffer.of(1)];
    const ids: Ids = {
      delivery_id: 'dlv',
      webhook_ids: 'wh',
      operation_id: 'op',
      message_ids: 'msg',
    };
    const names = ['delivery_id', 'webhook_ids', 'user_id', 'operation_id', 'message_ids'];
    idConversion(ids, names).store(values);
    expect(values).toEqual([ID, [ID], ID, null, Buffer.of(1)]);
  });

  it('get their prefix where they are declared as columns', () => {
    const row = { webhookId: ID, message_ids: [ID], last_id: null, user_id: ID };
    const fields = Object.keys(row).map((name) => ({ name }));
    const ids: Ids = { webhookId: 'wh', message_ids: 'msg', last_id: 'dlv' };
    idConversion(ids, []).restore({ rows: [row], fields });
    expect(row).toEqual({
      webhookId: `wh_${ID}`,
      message_ids: [`msg_${ID}`],
      last_id: null,
      user_id: ID,
    });
  });

  it.each([ID, `dlv_${ID}`])('are refused with another prefix: %s', (id) => {
    const { store } = idConversion({ webhook_id: 'wh' }, ['webhook_id']);
    expect(() => store([id])).toThrow('The value of webhook_id must begin with wh_');
  });

  it('are refused under a name that is neither a parameter nor a column', () => {
    const { restore } = idConversion({ webhook_id: 'wh', delivery_id: 'dlv' }, ['webhook_id']);
    expect(() => restore({ rows: [], fields: [{ name: 'day' }] })).toThrow(
      'no parameter and no column delivery_id',
    );
  });
});

describe('an id', () => {
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

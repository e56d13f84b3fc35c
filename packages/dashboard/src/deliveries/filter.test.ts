import { describe, expect, it } from '@jest/globals';
import { deliveryFilter } from './filter.js';

describe('the filter in the address', () => {
  it('keeps a status and a kind', () => {
    const filter = { status: 'retrying', kind: 'draft.created' };
    expect(deliveryFilter({ ...filter, other: 1 })).toEqual(filter);
  });

  it.each([{}, { status: 'lost' }, { status: 7, kind: ['draft.created'] }, { kind: 'toString' }])(
    'leaves out what is none: %j',
    (search) => {
      expect(deliveryFilter(search)).toEqual({});
    },
  );
});

import { describe, expect, it } from '@jest/globals';
import { BETWEEN, PROPOSED, type ReplayChoice, spanOf } from './replay-span.js';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const KINDS = ['draft.created', 'meeting.joined'];
const asked = (choice: Partial<ReplayChoice>) => spanOf({ ...PROPOSED, ...choice }, KINDS, NOW);

describe('the span of a replay', () => {
  it('has as its default what did not get through in the last day, of every kind', () => {
    expect(asked({})).toEqual({
      from: '2026-03-01T12:00:00.000Z',
      to: '2026-03-02T12:00:00.000Z',
      outcomes: ['held', 'exhausted', 'refused'],
    });
  });

  it('names kinds only when some are left out', () => {
    expect(asked({ withoutKinds: ['draft.created'] })).toMatchObject({
      event_types: ['meeting.joined'],
    });
  });

  it('ends now when only its beginning is chosen', () => {
    const from = '2026-02-01T00:00';
    expect(asked({ period: BETWEEN, from })).toMatchObject({
      from: new Date(from).toISOString(),
      to: NOW.toISOString(),
    });
  });

  it.each([
    [{ period: BETWEEN }, 'from when on'],
    [{ period: BETWEEN, from: '2026-02-02T00:00', until: '2026-02-01T00:00' }, 'before until'],
    [{ period: BETWEEN, from: '2027-02-02T00:00', until: '2027-03-01T00:00' }, 'in the past'],
    [{ outcomes: [] }, 'at least one outcome'],
    [{ withoutKinds: KINDS }, 'at least one kind'],
  ] as const)('says what is missing of %j', (choice, words) => {
    expect(asked(choice)).toContain(words);
  });
});

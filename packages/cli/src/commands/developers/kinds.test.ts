import { describe, expect, it } from '@jest/globals';
import { isMatch, unknownKind } from './kinds.js';

describe('choosing events by kind', () => {
  it.each([
    ['*', 'draft.created', true],
    ['draft.created', 'draft.created', true],
    ['meeting.*', 'meeting.joined', true],
    ['meeting.*', 'meetings.joined', false],
    ['draft', 'draft.created', false],
  ])('%s: %s %s', (wanted, kind, expected) => {
    expect(isMatch(wanted, kind)).toBe(expected);
  });
});

describe('a kind that does not exist', () => {
  it.each([
    ['draft.creatd', 'There is no kind draft.creatd. Did you mean draft.created?'],
    ['meetin.*', 'There is no kind meetin.*. Did you mean meeting.*?'],
    ['invoice.paid', 'There is no kind invoice.paid.'],
  ])('%s is refused with the one that was meant', (kind, expected) => {
    const { exitCode, message } = unknownKind(kind, KINDS);
    expect(exitCode).toBe(2);
    expect(message.split('\n')).toEqual([expected, 'There are draft.created, meeting.joined.']);
  });
});

const KINDS = [{ event_type: 'draft.created' }, { event_type: 'meeting.joined' }];

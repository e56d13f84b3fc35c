import { describe, expect, it } from '@jest/globals';
import { ALL_KINDS, choicesOf, EVENT_KINDS, kindsInWords, tickedBy } from './event-kinds.js';

const TYPES = EVENT_KINDS.map(({ type }) => type);

describe('chosen kinds in words', () => {
  it.each([
    [['draft.created', 'webhook.exhausted'], 'Draft created, webhook.exhausted'],
    [['meeting.*', 'draft.created'], 'Every meeting event, Draft created'],
    [TYPES, 'All kinds of events'],
    [[ALL_KINDS, 'webhook.*'], 'All kinds of events, also later ones, Every webhook event'],
  ])('%j: %s', (choices, words) => {
    expect(kindsInWords(choices)).toBe(words);
  });
});

describe('a form of kinds', () => {
  it('shows as ticked what wildcards cover', () => {
    expect(tickedBy(['meeting.*', 'webhook.*'])).toEqual([
      'meeting.*',
      'webhook.*',
      'meeting.joined',
    ]);
    expect(tickedBy([ALL_KINDS])).toEqual([ALL_KINDS, ...TYPES]);
  });

  it('chooses all in one tick, and keeps notices beside it', () => {
    const before = ['draft.created', 'webhook.*'];
    expect(choicesOf([...tickedBy(before), ALL_KINDS], before)).toEqual(['webhook.*', ALL_KINDS]);
  });

  it.each([
    [ALL_KINDS, [ALL_KINDS], TYPES],
    [
      'draft.created',
      [ALL_KINDS, 'webhook.*'],
      ['webhook.*', ...TYPES.filter((type) => type !== 'draft.created')],
    ],
    ['meeting.joined', ['meeting.*', 'draft.created'], ['draft.created']],
  ])('leaves what is still ticked when %s is taken from %j', (taken, before, after) => {
    expect(
      choicesOf(
        tickedBy(before).filter((one) => one !== taken),
        before,
      ),
    ).toEqual(after);
  });

  it('changes nothing that was not clicked', () => {
    const before = ['meeting.*', 'webhook.exhausted', 'draft.created'];
    expect(choicesOf(tickedBy(before), before)).toEqual(before);
  });
});

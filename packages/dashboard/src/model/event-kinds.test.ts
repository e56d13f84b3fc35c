import { describe, expect, it } from '@jest/globals';
import {
  ALL_KINDS,
  choicesOf,
  kindsInWords,
  labelOfKind,
  tickedBy,
  unknownChoices,
} from './event-kinds.js';

const TYPES = ['inbox.organized', 'draft.created', 'meeting.joined'];
const CATALOGUE = [
  ...TYPES.map((type) => ({ event_type: type, opt_in: false })),
  { event_type: 'webhook.disabled', opt_in: true },
  { event_type: 'webhook.exhausted', opt_in: true },
];
const choices = (ticked: readonly string[], before: readonly string[]) =>
  choicesOf(ticked, before, CATALOGUE);
const ticked = (chosen: readonly string[]) => tickedBy(chosen, CATALOGUE);

describe('chosen kinds in words', () => {
  it.each([
    [['draft.created', 'webhook.exhausted'], 'Draft created, Webhook exhausted'],
    [['meeting.*', 'draft.created'], 'Every meeting event, Draft created'],
    [TYPES, 'All kinds of events'],
    [[...TYPES, 'webhook.disabled'], 'All kinds of events, Webhook disabled'],
    [[ALL_KINDS, 'webhook.*'], 'All kinds of events, including later ones, Every webhook event'],
  ])('%j: %s', (chosen, words) => {
    expect(kindsInWords(chosen, CATALOGUE)).toBe(words);
  });

  it('are named one by one before the catalogue is here', () => {
    expect(kindsInWords(['draft.created'], [])).toBe('Draft created');
    expect(labelOfKind('integration.reconnect_required')).toBe('Integration reconnect required');
  });
});

describe('a form of kinds', () => {
  it('shows as ticked what wildcards cover', () => {
    expect(ticked(['meeting.*', 'webhook.*'])).toEqual([
      'meeting.*',
      'webhook.*',
      'meeting.joined',
      'webhook.disabled',
      'webhook.exhausted',
    ]);
    expect(ticked([ALL_KINDS])).toEqual([ALL_KINDS, ...TYPES]);
  });

  it('chooses all in one tick, and keeps notices beside it', () => {
    const before = ['draft.created', 'webhook.*'];
    expect(choices([...ticked(before), ALL_KINDS], before)).toEqual(['webhook.*', ALL_KINDS]);
  });

  it.each([
    [ALL_KINDS, [ALL_KINDS], TYPES],
    [
      'draft.created',
      [ALL_KINDS, 'webhook.*'],
      ['webhook.*', ...TYPES.filter((type) => type !== 'draft.created')],
    ],
    ['meeting.joined', ['meeting.*', 'draft.created'], ['draft.created']],
    ['webhook.disabled', ['webhook.*'], ['webhook.exhausted']],
  ])('leaves what is still ticked when %s is taken from %j', (gone, before, after) => {
    expect(
      choices(
        ticked(before).filter((one) => one !== gone),
        before,
      ),
    ).toEqual(after);
  });

  it('changes nothing that was not clicked, what it does not know included', () => {
    const before = ['meeting.*', 'webhook.exhausted', 'draft.created', 'party.thrown', 'party.*'];
    expect(choices(ticked(before), before)).toEqual(before);
    expect(unknownChoices(before, CATALOGUE)).toEqual(['party.thrown', 'party.*']);
    expect(choices([...ticked(before), 'inbox.organized'], before)).toEqual([
      ...before,
      'inbox.organized',
    ]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { DELIVERED_KINDS, EVENT_KINDS, isNoticeKind } from '@junction/contracts';
import * as fc from 'fast-check';
import { covers, isChoice, normalized } from './chosen-kinds.js';

const WILDCARDS = ['*', 'inbox.*', 'meeting.*', 'webhook.*', 'integration.*'];
const choices = fc.array(fc.constantFrom(...DELIVERED_KINDS, ...WILDCARDS), { minLength: 1 });

describe('what a webhook may name', () => {
  it.each([...DELIVERED_KINDS, ...WILDCARDS])('%s', (text) => {
    expect(isChoice(text)).toBe(true);
    expect(DELIVERED_KINDS.some((kind) => covers(text, kind))).toBe(true);
  });

  it.each([
    '',
    '.',
    '.*',
    '**',
    '*.*',
    '* ',
    'meeting',
    'meeting.',
    'meeting*',
    'meeting.**',
    'meet.*',
    'made.up',
    'made.*',
    'Meeting.*',
    '*.joined',
    '__proto__',
    'toString',
  ])('%j is nothing to name', (text) => {
    expect(isChoice(text)).toBe(false);
  });
});

describe('a wildcard', () => {
  it('for all covers what is not opt-in, and what comes later', () => {
    expect(DELIVERED_KINDS.filter((kind) => covers('*', kind))).toEqual(EVENT_KINDS);
    expect(covers('*', 'meeting.left')).toBe(true);
  });

  it('for a group covers its kinds, notices and later ones among them, and no others', () => {
    const notices = DELIVERED_KINDS.filter((kind) => covers('webhook.*', kind));
    expect(notices).toContain('webhook.exhausted');
    expect(notices.every(isNoticeKind)).toBe(true);
    expect(covers('meeting.*', 'meeting.left')).toBe(true);
    expect(covers('meeting.*', 'meetings.left')).toBe(false);
    expect(covers('meeting.*', 'draft.created')).toBe(false);
  });
});

describe('the list of what was chosen', () => {
  it.each([
    [
      ['draft.created', 'inbox.organized', 'draft.created'],
      ['inbox.organized', 'draft.created'],
    ],
    [['meeting.joined', 'meeting.*'], ['meeting.*']],
    [
      ['webhook.exhausted', 'reminder.sent', '*'],
      ['*', 'webhook.exhausted'],
    ],
    [
      ['meeting.*', '*'],
      ['*', 'meeting.*'],
    ],
    [
      ['webhook.*', '*'],
      ['*', 'webhook.*'],
    ],
  ])('of %j is %j', (chosen, list) => {
    expect(normalized(chosen)).toEqual(list);
  });

  it('covers what was chosen, names no kind without need, and knows no order', () => {
    fc.assert(
      fc.property(choices, (chosen) => {
        const list = normalized(chosen);
        const covered = (by: readonly string[]) =>
          DELIVERED_KINDS.filter((kind) => by.some((choice) => covers(choice, kind)));
        expect(covered(list)).toEqual(covered(chosen));
        for (const kind of list.filter((choice) => !WILDCARDS.includes(choice))) {
          expect(covered(list.filter((choice) => choice !== kind))).not.toContain(kind);
        }
        expect(normalized(chosen.toReversed())).toEqual(list);
        expect(normalized(list)).toEqual(list);
      }),
    );
  });
});

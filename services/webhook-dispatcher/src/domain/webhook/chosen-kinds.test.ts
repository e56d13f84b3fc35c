import { describe, expect, it } from '@jest/globals';
import { catalogueOf, EVENT_KINDS } from '@junction/contracts';
import * as fc from 'fast-check';
import { choicesAmong, covers as isCovered } from './chosen-kinds.js';

const { kinds: KINDS, isOptIn } = catalogueOf();
const { has, normalized } = choicesAmong({ kinds: KINDS, isOptIn });
const covers = (choice: string, kind: string) => isCovered(choice, kind, isOptIn(kind));
const WILDCARDS = ['*', 'inbox.*', 'meeting.*', 'webhook.*', 'integration.*'];
const choices = fc.array(fc.constantFrom(...KINDS, ...WILDCARDS), { minLength: 1 });

describe('the choices of a webhook', () => {
  it.each([...KINDS, ...WILDCARDS])('include %s', (text) => {
    expect(has(text)).toBe(true);
    expect(KINDS.some((kind) => covers(text, kind))).toBe(true);
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
  ])('do not include %j', (text) => {
    expect(has(text)).toBe(false);
  });
});

describe('a wildcard', () => {
  it('covers as * every kind that is not opt-in, later ones too', () => {
    expect(KINDS.filter((kind) => covers('*', kind))).toEqual(EVENT_KINDS);
    expect(covers('*', 'meeting.left')).toBe(true);
  });

  it('covers as a group its kinds, notices and later ones among them, and no others', () => {
    const notices = KINDS.filter((kind) => covers('webhook.*', kind));
    expect(notices).toContain('webhook.exhausted');
    expect(notices.every(isOptIn)).toBe(true);
    expect(covers('meeting.*', 'meeting.left')).toBe(true);
    expect(covers('meeting.*', 'meetings.left')).toBe(false);
    expect(covers('meeting.*', 'draft.created')).toBe(false);
  });
});

it('kinds of a platform are chosen by name or group, and by * unless they are opt-in', () => {
  const kinds = ['invoice.paid', 'invoice.viewed'];
  const own = choicesAmong({ kinds, isOptIn: (kind) => kind === 'invoice.viewed' });
  expect(own.has('invoice.*')).toBe(true);
  expect(own.has('draft.created')).toBe(false);
  expect(own.normalized(['invoice.viewed', 'invoice.paid', '*'])).toEqual(['*', 'invoice.viewed']);
});

describe('the list of chosen kinds', () => {
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
  ])('is made of %j as %j', (chosen, list) => {
    expect(normalized(chosen)).toEqual(list);
  });

  it('covers what was chosen, names no kind without need, and ignores the order', () => {
    fc.assert(
      fc.property(choices, (chosen) => {
        const list = normalized(chosen);
        const covered = (by: readonly string[]) =>
          KINDS.filter((kind) => by.some((choice) => covers(choice, kind)));
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

import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import type { Command, Decider, Event } from '../decider.js';
import { specification } from './specification.js';

type Opened = Event<'opened'>;
type Open = Command<'open'> | Command<'close'>;

const door: Decider<boolean, Open, Opened> = {
  initialState: false,
  decide(command, isOpen) {
    if (command.type === 'close') return [];
    if (isOpen)
      throw new AppError({ kind: 'conflict', code: 'already_open' }, 'The door is open already.');
    return [opened];
  },
  evolve: () => true,
};

const opened: Opened = { type: 'opened', data: {} };
const open: Open = { type: 'open', data: {} };
const close: Open = { type: 'close', data: {} };

const { given } = specification(door);

describe('the sentence of domain tests', () => {
  it('holds for events, for nothing and for a refusal', () => {
    given().when(open).thenEvents(opened);
    given().when(close).thenNothing();
    given(opened).when(open).thenRefused('already_open');
  });

  it('fails when the outcome differs', () => {
    const differs = /toEqual/;
    expect(() => given().when(open).thenNothing()).toThrow(differs);
    expect(() => given(opened).when(close).thenEvents(opened)).toThrow(differs);
    expect(() => given().when(open).thenRefused('already_open')).toThrow(/toThrow/);
    expect(() => given(opened).when(open).thenRefused('other_code')).toThrow(/toThrow/);
  });
});

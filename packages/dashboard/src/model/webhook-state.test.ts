import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../api/types.js';
import { needsOwner, STATES, stateWords } from './webhook-state.js';

const failing = { since: '2026-01-01T00:00:00.000Z', reason: 'http_401', detail: null };
const circuit = {
  state: 'open' as const,
  opened_at: '2026-01-01T00:01:00.000Z',
  probe_at: '2026-01-01T00:01:30.000Z',
};

describe('the state of a webhook, in words', () => {
  it('says no more than that while all is well', () => {
    expect(stateWords(webhook({}))).toEqual({ tone: 'good', label: 'Active' });
  });

  it('says that events of a paused one go out later, also while its circuit is open', () => {
    const paused = stateWords(webhook({ status: 'paused', state: 'paused', circuit }));
    expect(paused).toMatchObject({ label: 'Paused' });
    expect(paused.explanation).toMatch(/as soon as/);
  });

  it('says that an operator paused it', () => {
    const paused = webhook({ status: 'paused', state: 'paused', paused_by: 'operator' });
    expect(stateWords(paused)).toMatchObject({ label: 'Paused by an operator', tone: 'waiting' });
  });

  it.each([
    ['user', 'Disabled by you', false],
    ['gone_410', 'Disabled: receiver gone', true],
    ['failing', 'Disabled: failing', true],
    ['operator', 'Disabled by an operator', true],
  ] as const)('says who or what disabled it: %s', (disabled_reason, label, isNeeded) => {
    const disabled = webhook({ status: 'disabled', state: 'disabled', disabled_reason });
    expect(stateWords(disabled)).toMatchObject({
      label,
      explanation: expect.stringContaining('held'),
    });
    expect(needsOwner(disabled)).toBe(isNeeded);
  });

  it.each([
    [{ failing }, failing.since, 'same secret'],
    [{ failing, circuit }, failing.since, 'same secret'],
    [{ circuit }, circuit.opened_at, 'recent attempts'],
  ])('says since when and why nothing gets through, and what to do: %j', (trouble, since, why) => {
    const one = webhook({ ...trouble, state: 'failing' });
    expect(stateWords(one)).toEqual({
      tone: 'bad',
      label: 'Failing',
      since,
      explanation: expect.stringContaining(why),
    });
    expect(needsOwner(one)).toBe(true);
  });

  it('begins with the name that the list has for the state', () => {
    for (const state of ['active', 'failing', 'paused', 'disabled'] as const) {
      expect(stateWords(webhook({ state })).label).toMatch(new RegExp(`^${STATES[state]}`));
    }
  });
});

const webhook = (given: Partial<Webhook>): Webhook => ({
  webhook_id: 'wh_0',
  url: 'https://receiver.example/hook',
  events: ['draft.created'],
  enabled: true,
  has_secret: false,
  status: 'active',
  state: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...given,
});

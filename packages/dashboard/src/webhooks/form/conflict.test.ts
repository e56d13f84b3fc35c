import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../../api/types.js';
import { changedElsewhere, withSaved } from './conflict.js';
import { valuesOf } from './form-values.js';

describe('a form whose webhook was changed meanwhile', () => {
  it('shows the settings that were saved elsewhere beside its own, and no others', () => {
    const saved: Webhook = {
      ...opened,
      description: 'Theirs',
      events: ['draft.created', 'meeting.*'],
      ordered: true,
      metadata: { team: 'b' },
    };
    const mine = { ...valuesOf(opened), description: 'Mine', url: 'https://mine.example/' };
    expect(changedElsewhere(opened, saved, mine)).toEqual([
      { label: 'Description', saved: 'Theirs', mine: 'Mine' },
      { label: 'Events', saved: 'Draft created, Every meeting event', mine: 'Reminder sent' },
      { label: 'In order', saved: 'on', mine: 'off' },
      { label: 'Metadata', saved: 'team: b', mine: 'none' },
    ]);
    expect(withSaved(opened, saved, mine)).toEqual({
      ...valuesOf(saved),
      url: 'https://mine.example/',
    });
  });

  it('shows none when the change is none that a form shows', () => {
    expect(changedElsewhere(opened, { ...opened, status: 'paused' }, valuesOf(opened))).toEqual([]);
  });
});

const opened: Webhook = {
  webhook_id: 'wh_1',
  url: 'https://hooks.example/',
  description: 'Before',
  events: ['reminder.sent'],
  enabled: true,
  has_secret: true,
  status: 'active',
  state: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

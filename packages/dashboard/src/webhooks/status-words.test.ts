import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../api/types.js';
import { webhookStatus } from './status-words.js';

describe('the status of a webhook, in words', () => {
  it('says no more than that while all is well', () => {
    expect(webhookStatus(webhook({}))).toEqual({ tone: 'good', label: 'Active' });
  });

  it('says that events of a paused one go out later', () => {
    expect(webhookStatus(webhook({ status: 'paused' })).explanation).toMatch(/once|as soon as/);
  });

  it.each([
    ['user', 'Disabled by you'],
    ['gone_410', 'Disabled: receiver gone'],
    ['failing', 'Disabled: failing'],
  ] as const)('says who or what disabled it: %s', (disabled_reason, label) => {
    const status = webhookStatus(webhook({ status: 'disabled', disabled_reason }));
    expect(status).toMatchObject({ label, explanation: expect.stringContaining('held') });
  });

  it('says what an open circuit means, and when the next try is', () => {
    expect(webhookStatus(webhook({ circuit }))).toMatchObject({
      tone: 'bad',
      label: 'Resting after failures',
      explanation: expect.stringContaining('use up no attempts'),
      probeAt: circuit.probe_at,
    });
  });

  it('leaves the circuit out while nothing is sent anyway', () => {
    expect(webhookStatus(webhook({ status: 'paused', circuit })).label).toBe('Paused');
  });
});

const circuit = {
  state: 'open' as const,
  opened_at: '2026-01-01T00:00:00.000Z',
  probe_at: '2026-01-01T00:00:30.000Z',
};

const webhook = (given: Partial<Webhook>): Webhook => ({
  webhook_id: 'wh_0',
  url: 'https://receiver.example/hook',
  events: ['draft.created'],
  enabled: true,
  has_secret: false,
  status: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...given,
});

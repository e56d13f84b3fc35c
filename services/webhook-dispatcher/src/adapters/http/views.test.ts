import { expect, it } from '@jest/globals';
import type { Webhook } from '../../application/webhooks/ports.js';
import { webhookView } from './views.js';

const OPENED_AT = new Date('2030-01-01T00:00:00Z');
const FAR = new Date('9999-01-01T00:00:00Z');
const PAST = new Date('2020-01-01T00:00:00Z');

it.each([
  ['open until its probe', FAR, 'open'],
  ['half open from its probe on', PAST, 'half_open'],
])('a circuit is shown as %s', (_, probeAt, state) => {
  const circuit = { circuitOpenedAt: OPENED_AT, circuitProbeAt: probeAt };
  expect(webhookView({ ...webhook, ...circuit })).toMatchObject({
    circuit: { state, opened_at: OPENED_AT, probe_at: probeAt },
  });
});

it('a circuit that is closed is not shown', () => {
  const closed = { circuitOpenedAt: null, circuitProbeAt: null };
  expect(webhookView({ ...webhook, ...closed })).not.toHaveProperty('circuit');
});

it('a webhook whose last attempt failed says since when, and why', () => {
  const failing = { failingSince: PAST, failingReason: 'url_private_address' };
  expect(webhookView({ ...webhook, ...failing })).toMatchObject({
    failing: {
      since: PAST,
      reason: 'url_private_address',
      detail: expect.stringContaining('private'),
    },
  });
  expect(webhookView(webhook)).not.toHaveProperty('failing');
});

it('a secret that was rotated away is mentioned as long as it signs', () => {
  expect(webhookView({ ...webhook, previousSecretExpiresAt: FAR })).toMatchObject({
    previous_secret_expires_at: FAR,
  });
  expect(webhookView(webhook)).not.toHaveProperty('previous_secret_expires_at');
});

const webhook = {
  previousSecretExpiresAt: null,
  circuitOpenedAt: null,
  failingSince: null,
  disabledReason: null,
  rateLimit: null,
  description: null,
  filter: null,
  retrySchedule: null,
  metadata: null,
  headerNames: [] as readonly string[],
} as Webhook;

import { expect, it } from '@jest/globals';
import type { Webhook } from '../../application/ports.js';
import { webhookView } from './views.js';

const OPENED_AT = new Date('2030-01-01T00:00:00Z');
const FAR = new Date('9999-01-01T00:00:00Z');
const PAST = new Date('2020-01-01T00:00:00Z');

it.each([
  ['open until its probe', FAR, 'open'],
  ['half open from its probe on', PAST, 'half_open'],
])('a circuit is shown as %s', (_, probeAt, state) => {
  const circuit = { circuit_opened_at: OPENED_AT, circuit_probe_at: probeAt };
  expect(webhookView({ ...webhook, ...circuit })).toMatchObject({
    circuit: { state, opened_at: OPENED_AT, probe_at: probeAt },
  });
});

it('a circuit that is closed is not shown', () => {
  const closed = { circuit_opened_at: null, circuit_probe_at: null };
  expect(webhookView({ ...webhook, ...closed })).not.toHaveProperty('circuit');
});

it('a webhook whose last attempt failed says since when, and why', () => {
  const failing = { failing_since: PAST, failing_reason: 'url_private_address' };
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
  expect(webhookView({ ...webhook, previous_secret_expires_at: FAR })).toMatchObject({
    previous_secret_expires_at: FAR,
  });
  expect(webhookView(webhook)).not.toHaveProperty('previous_secret_expires_at');
});

const webhook = {
  previous_secret_expires_at: null,
  circuit_opened_at: null,
  failing_since: null,
  disabled_reason: null,
  rate_limit: null,
  description: null,
  filter: null,
  retry_schedule: null,
  metadata: null,
  header_names: [] as readonly string[],
} as Webhook;

import type { Webhook } from '../api/types.js';
import type { Tone } from '../ui/tone.js';

/** The state of a webhook, for a reader who does not know circuits and 410s. */
export interface StatusWords {
  readonly tone: Tone;
  readonly label: string;
  /** Explanation of the state and of what to do; undefined while all is well. */
  readonly explanation?: string;
  /** Time of the next probe; only while the circuit is open. */
  readonly probeAt?: string;
}

export function webhookStatus(webhook: Webhook): StatusWords {
  switch (webhook.status) {
    case 'disabled':
      return DISABLED[webhook.disabled_reason ?? 'user'];
    case 'paused':
      return {
        tone: 'waiting',
        label: 'Paused',
        explanation: 'New events wait, and are sent as soon as you resume.',
      };
    case 'active':
      return webhook.circuit ? circuitOpen(webhook.circuit) : { tone: 'good', label: 'Active' };
  }
}

const DISABLED = {
  gone_410: {
    tone: 'bad',
    label: 'Disabled: receiver gone',
    explanation:
      'The receiver answered 410 Gone, which asks us not to send there again. Events are held and not sent. Enable the webhook once the receiver is back.',
  },
  failing: {
    tone: 'bad',
    label: 'Disabled: failing',
    explanation:
      'Every attempt failed for days, so we stopped. Events are held and not sent. Enable the webhook once the receiver works again.',
  },
  user: {
    tone: 'neutral',
    label: 'Disabled by you',
    explanation:
      'Nothing is sent. New events are held, and when you enable the webhook you choose whether to send them.',
  },
} as const satisfies Record<string, StatusWords>;

const circuitOpen = ({ probe_at: probeAt }: { probe_at: string }): StatusWords => ({
  tone: 'bad',
  label: 'Resting after failures',
  explanation:
    'Nearly all recent attempts failed, so we pause before trying again. Events wait, and use up no attempts.',
  probeAt,
});

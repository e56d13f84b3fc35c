import type { DeliveryDetail, Webhook } from '../api/types.js';

/** The action that sends a delivery again now: its label, or the reason why there is none. */
export interface Redelivery {
  readonly label?: 'Resend' | 'Retry now' | 'Send now';
  /** Effect of the action, or the reason why it is not possible. */
  readonly about: string;
}

type Standing = Pick<DeliveryDetail, 'status'> &
  Partial<Pick<DeliveryDetail, 'payload_expunged_at'>>;

/**
 * Returns the action for a delivery; undefined when the delivery is due anyway, or waits until its webhook is
 * resumed.
 */
export function redeliveryOf(
  delivery: Standing,
  webhook: Pick<Webhook, 'status' | 'circuit'>,
): Redelivery | undefined {
  if (webhook.status === 'disabled') {
    return { about: 'The webhook is disabled. Enable it to send this event again.' };
  }
  if (delivery.payload_expunged_at) {
    return { about: 'The content of this delivery was deleted, so it can’t be sent again.' };
  }
  const isPaused = webhook.status === 'paused';
  if (delivery.status === 'pending' || delivery.status === 'retrying') {
    return isPaused ? undefined : sooner(delivery, webhook.circuit !== undefined);
  }
  const later = isPaused ? ' The webhook is paused, so this goes out when you resume it.' : '';
  return {
    label: 'Resend',
    about: `Creates a new delivery with the same content and the same webhook-id, so the receiver can tell it’s a repeat.${later}`,
  };
}

function sooner({ status }: Standing, isResting: boolean): Redelivery | undefined {
  if (status === 'pending' && !isResting) return undefined; // the delivery is due anyway
  const about = isResting
    ? 'We’re resting after failures. This tests the receiver with one request now. If it succeeds, everything that’s waiting follows.'
    : 'Makes the next attempt now. It doesn’t use up any of the remaining retries.';
  return { label: status === 'pending' ? 'Send now' : 'Retry now', about };
}

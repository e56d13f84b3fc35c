import { Text } from '@mantine/core';
import type { Delivery, Webhook } from '../api/types.js';
import { RelativeTime, useNow } from '../ui/relative-time.js';

export interface NextAttemptProps {
  readonly delivery: Delivery;
  /** undefined: not known yet. */
  readonly webhook: Webhook | undefined;
}

/** When it is tried again, of what still is; one whose time is past waits for its webhook. */
export function NextAttempt({ delivery, webhook }: NextAttemptProps) {
  const now = useNow();
  const { status, next_attempt_at: at } = delivery;
  if (at === null || (status !== 'pending' && status !== 'retrying')) return null;
  return (
    <Text size="xs" c="var(--text-quiet)">
      {new Date(at) > now ? (
        <>
          Next attempt <RelativeTime at={at} />
        </>
      ) : (
        waitingWords(webhook)
      )}
    </Text>
  );
}

function waitingWords(webhook: Webhook | undefined): string {
  if (webhook?.status === 'paused') return 'Waits until you resume the webhook';
  if (webhook?.circuit) return 'Waits while the circuit is open';
  return 'Next attempt is due';
}

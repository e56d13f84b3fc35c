import { Text } from '@mantine/core';
import type { Delivery } from '../api/types.js';
import { RelativeTime, useNow } from '../ui/relative-time.js';

/** When it is tried again, of what still is; of a paused webhook nobody knows. */
export function NextAttempt({ delivery }: { readonly delivery: Delivery }) {
  const now = useNow();
  const { status, next_attempt_at: at } = delivery;
  if (status !== 'pending' && status !== 'retrying') return null;
  return (
    <Text size="xs" c="var(--text-quiet)">
      {at === null ? (
        'Waiting until you resume the webhook'
      ) : new Date(at) > now ? (
        <>
          Next attempt <RelativeTime at={at} />
        </>
      ) : (
        'Next attempt is due now'
      )}
    </Text>
  );
}

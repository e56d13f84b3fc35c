import type { Delivery } from '../api/types.js';
import { RelativeTime, useNow } from '../ui/relative-time.js';
import { clockWords } from '../ui/relative-words.js';
import { Quiet } from '../ui/text.js';

/** When it is tried again, of what still is; of a paused webhook nobody knows. */
export function NextAttempt({ delivery }: { readonly delivery: Delivery }) {
  const now = useNow();
  const { status, next_attempt_at: at, rests_until: restsUntil } = delivery;
  if (status !== 'pending' && status !== 'retrying') return null;
  const waiting =
    restsUntil !== null && new Date(restsUntil) > now
      ? `Waiting: the webhook rests until ${clockWords(restsUntil)}`
      : at === null
        ? 'Waiting until the webhook is resumed'
        : undefined;
  return (
    <Quiet title={waiting}>
      {waiting ??
        (at !== null && new Date(at) > now ? (
          <>
            Next attempt <RelativeTime at={at} />
          </>
        ) : (
          'Next attempt is due now'
        ))}
    </Quiet>
  );
}

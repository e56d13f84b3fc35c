import { Text } from '@mantine/core';
import type { Webhook } from '../api/types.js';
import { stateWords } from '../model/webhook-state.js';
import { RelativeTime, useNow } from '../ui/relative-time.js';
import { clockWords } from '../ui/relative-words.js';

/** Since when and why nothing is sent or arrives, and what changes that. Renders nothing while all is well. */
export function StatusNotice({ webhook }: { readonly webhook: Webhook }) {
  const { explanation, since } = stateWords(webhook);
  const { state, circuit } = webhook;
  if (explanation === undefined) return null;
  const isFailing = state === 'failing';
  return (
    <Text size="sm">
      {since && (
        <>
          {isFailing ? 'It began to fail ' : 'It was disabled '}
          <RelativeTime at={since} />
          {isFailing ? ', and nothing has got through since. ' : '. '}
        </>
      )}
      {explanation} {isFailing && circuit && <Rest until={circuit.probe_at} />}
    </Text>
  );
}

function Rest({ until }: { readonly until: string }) {
  const now = useNow();
  if (new Date(until) <= now) return <>It is tried again now.</>;
  return (
    <>
      It rests until {clockWords(until)}: what waits uses up no attempts, and is tried again then.
    </>
  );
}

import type { Webhook } from '../api/types.js';
import { RelativeTime, useNow } from '../ui/relative-time.js';
import { Quiet } from '../ui/text.js';
import { webhookStatus } from './status-words.js';

/** The reason why nothing is sent at the moment, and what would change that. Renders nothing while all is well. */
export function StatusNotice({ webhook }: { readonly webhook: Webhook }) {
  const { explanation, probeAt } = webhookStatus(webhook);
  if (explanation === undefined) return null;
  return (
    <Quiet>
      {explanation} {probeAt && <NextTry at={probeAt} />}
    </Quiet>
  );
}

function NextTry({ at }: { readonly at: string }) {
  const now = useNow();
  if (new Date(at) <= now) return <>Trying again now.</>;
  return (
    <>
      Next try <RelativeTime at={at} />.
    </>
  );
}

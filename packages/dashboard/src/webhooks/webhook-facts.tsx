import type { Webhook } from '../api/types.js';
import { CopyableId } from '../ui/copyable-id.js';
import { type Fact, Facts } from '../ui/facts.js';
import { RelativeTime } from '../ui/relative-time.js';
import { kindsInWords } from './event-kinds.js';
import { SignedMark } from './signed-mark.js';

export function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  const { events, created_at: created, updated_at: updated } = webhook;
  const facts: readonly Fact[] = [
    { term: 'Events', value: kindsInWords(events), wide: true },
    {
      term: 'Webhook ID',
      wide: true,
      value: <CopyableId id={webhook.webhook_id} label="Copy webhook ID" />,
    },
    { term: 'Signature', value: <SignedMark webhook={webhook} />, wide: true },
    { term: 'Created', value: <RelativeTime at={created} /> },
    { term: 'Changed', value: <RelativeTime at={updated} /> },
  ];
  return <Facts facts={facts} />;
}

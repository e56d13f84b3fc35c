import type { Webhook } from '../api/types.js';
import { LinkButton } from '../ui/links.js';
import { EnableButton } from './enable-switch.js';
import { Probe } from './probe.js';

/** The button for a webhook that gets nothing through: it is tried or enabled, or its deliveries say more. */
export function Remedy({ webhook }: { readonly webhook: Webhook }) {
  const { webhook_id: webhookId, state, circuit } = webhook;
  if (state !== 'failing') return <EnableButton webhook={webhook} size="xs" variant="default" />;
  if (circuit) return <Probe webhook={webhook} />;
  return (
    <LinkButton
      to="/webhooks/$webhookId"
      params={{ webhookId }}
      search={{ tab: 'deliveries' }}
      size="xs"
      variant="default"
    >
      See what failed
    </LinkButton>
  );
}

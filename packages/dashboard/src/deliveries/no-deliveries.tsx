import { useQuery } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Webhook } from '../api/types.js';
import { useAllWebhooks } from '../model/all-webhooks.js';
import { integrationsQuery } from '../model/integrations-query.js';
import { EmptyState } from '../ui/empty-state.js';
import { IconInbox } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';

export interface NoDeliveriesProps {
  /** The webhook without deliveries; absent: there are none of any webhook. */
  readonly webhook?: Webhook;
  /** Explanation that is better than the common one, if there is one. */
  readonly why?: ReactNode;
}

/** The message in place of an empty list of deliveries, with the one step that comes next. */
export const NoDeliveries = ({ webhook, why }: NoDeliveriesProps) => (
  <EmptyState
    icon={<IconInbox size={28} stroke={1.6} aria-hidden />}
    title="Nothing sent yet"
    action={webhook ? webhook.enabled && <ToReceiver webhook={webhook} /> : <NextStep />}
  >
    {why}{' '}
    {webhook?.enabled === false
      ? 'This webhook is disabled. Enable it to have new events sent.'
      : 'Deliveries appear here as soon as the assistant organizes your inbox, drafts a reply or joins a meeting.'}
  </EmptyState>
);

function NextStep() {
  const { pages } = useRouteContext({ from: '__root__' });
  const webhooks = useAllWebhooks(true);
  // The portal has no page of connections.
  const { data: integrations } = useQuery({ ...integrationsQuery, enabled: pages === 'all' });
  const [first] = webhooks ?? [];
  if (!webhooks || (pages === 'all' && !integrations)) return null;
  if (!first) return <LinkButton to="/webhooks/new">Add a webhook</LinkButton>;
  if (integrations?.every(({ connected }) => !connected)) {
    return <LinkButton to="/integrations">Connect an account</LinkButton>;
  }
  return <ToReceiver webhook={first} />;
}

const ToReceiver = ({ webhook: { webhook_id: webhookId } }: { readonly webhook: Webhook }) => (
  <LinkButton to="/webhooks/$webhookId" params={{ webhookId }}>
    Connect your receiver
  </LinkButton>
);

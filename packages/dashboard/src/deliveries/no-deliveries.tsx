import { IconFilterOff, IconInbox } from '@tabler/icons-react';
import type { Webhook } from '../api/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { LinkButton } from '../ui/links.js';

export interface NoDeliveriesProps {
  readonly webhook: Webhook;
  readonly isFiltered: boolean;
}

export function NoDeliveries({ webhook, isFiltered }: NoDeliveriesProps) {
  if (isFiltered) {
    return (
      <EmptyState icon={<IconFilterOff size={28} stroke={1.6} aria-hidden />} title="No match">
        No delivery of this webhook has that status and kind.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<IconInbox size={28} stroke={1.6} aria-hidden />}
      title="Nothing was sent yet"
      action={
        <LinkButton to="/integrations" variant="default">
          See your integrations
        </LinkButton>
      }
    >
      {webhook.enabled
        ? 'Deliveries appear here by themselves, as soon as the assistant works for you: when it organizes your inbox, drafts a reply or joins a meeting. For that it needs a connected mailbox or calendar.'
        : 'This webhook is disabled. Enable it to have new events sent.'}
    </EmptyState>
  );
}

import type { ReactNode } from 'react';
import { DashboardOnly } from '../ui/dashboard-only.js';
import { EmptyState } from '../ui/empty-state.js';
import { IconInbox } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';

export interface NoDeliveriesProps {
  readonly isEnabled: boolean;
  /** Explanation that is better than the common one, if there is one. */
  readonly why?: ReactNode;
}

/** The message in place of an empty list of deliveries, of one webhook or of all. */
export const NoDeliveries = ({ isEnabled, why }: NoDeliveriesProps) => (
  <EmptyState
    icon={<IconInbox size={28} stroke={1.6} aria-hidden />}
    title="Nothing sent yet"
    action={
      <DashboardOnly>
        <LinkButton to="/integrations" variant="default">
          See your integrations
        </LinkButton>
      </DashboardOnly>
    }
  >
    {why}{' '}
    {isEnabled
      ? 'Deliveries appear here as soon as the assistant organizes your inbox, drafts a reply or joins a meeting. For that it needs a connected mailbox or calendar.'
      : 'This webhook is disabled. Enable it to have new events sent.'}
  </EmptyState>
);

import { EmptyState } from '../ui/empty-state.js';
import { IconWebhook } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';
import { PageTitle } from '../ui/text.js';

/** Says in place of the form that no other webhook can be added. `max`: how many an account can have. */
export const NoRoom = ({ max }: { readonly max: number }) => (
  <>
    <PageTitle>Add a webhook</PageTitle>
    <EmptyState
      icon={<IconWebhook size={28} stroke={1.6} aria-hidden />}
      title={`You have ${max} webhooks`}
      action={<LinkButton to="/webhooks">See your webhooks</LinkButton>}
    >
      An account can have no more. Delete one that is no longer needed before you add another.
    </EmptyState>
  </>
);

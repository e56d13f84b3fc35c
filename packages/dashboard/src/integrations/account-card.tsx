import { Title } from '@mantine/core';
import { useId } from 'react';
import { Breakable } from '../ui/breakable.js';
import { Panel } from '../ui/panel.js';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { Quiet } from '../ui/text.js';
import { AccountActions, type AccountProps } from './account-actions.js';
import { fullName } from './accounts.js';
import { Fold } from './fold.js';
import { History } from './history.js';
import { IdentityProviderIcon } from './identity-provider-icon.js';
import classes from './integrations.module.css';
import { PermissionList } from './permission-list.js';
import { type Permission, permissionsInShort, permissionsOf } from './permissions.js';
import { integrationStatus } from './status-words.js';

/** The card of one account: its provider, its state, and the actions for it. */
export function AccountCard(props: AccountProps) {
  const { words, integration, identityProvider } = props;
  const { integration_id: integrationId, account, status, connected } = integration;
  const permissions = permissionsOf(words, integration);
  const { tone, label, explanation } = integrationStatus(integration);
  const refused = permissions.filter(({ state }) => state === 'refused');
  const [name, place] = [useId(), useId()];

  return (
    <Panel className={classes['card'] ?? ''} aria-labelledby={`${name} ${place}`}>
      <div className={classes['head']}>
        <IdentityProviderIcon identityProvider={identityProvider} size="large" />
        <div className={classes['account']}>
          <Title order={3} size="h5" id={name}>
            <Breakable>{account}</Breakable>
          </Title>
          <div className={classes['place']}>
            <span id={place}>{identityProvider.display_name}</span>
            {props.hasOthers && integration.is_primary && (
              <span className={classes['primary']}>Primary</span>
            )}
            <span role="status">
              <StatusBadge tone={tone}>{label}</StatusBadge>
            </span>
          </div>
        </div>
      </div>
      {explanation && (
        <div className={classes['explanation']} data-tone={tone}>
          {explanation}
        </div>
      )}
      {connected && refused.length > 0 && (
        <Missing refused={refused} place={identityProvider.display_name} />
      )}
      <Since integration={integration} />
      <AccountActions {...props} />
      <div>
        {status !== 'disconnected' && (
          <Fold
            label="Permissions"
            of={fullName(integration, identityProvider)}
            summary={permissionsInShort(permissions)}
            tone={refused.length > 0 ? 'waiting' : undefined}
            isOpen={connected && refused.length > 0}
          >
            <PermissionList permissions={permissions} />
          </Fold>
        )}
        <Fold label="History" of={fullName(integration, identityProvider)}>
          <History integrationId={integrationId} />
        </Fold>
      </div>
    </Panel>
  );
}

interface MissingProps {
  readonly refused: readonly Permission[];
  readonly place: string;
}

/** The permissions that the user did not grant, what does not work without them, and how to grant them. */
const Missing = ({ refused, place }: MissingProps) => (
  <div className={classes['explanation']} data-tone="waiting">
    You did not allow everything, so:
    <ul>
      {refused.map(({ scope, without }) => (
        <li key={scope}>{without}</li>
      ))}
    </ul>
    To change this, reconnect and leave every box ticked at {place}.
  </div>
);

function Since({ integration }: Pick<AccountProps, 'integration'>) {
  const { connected_at: at, last_refreshed_at: refreshed, connected, status } = integration;
  return (
    <Quiet>
      {connected ? 'Connected' : 'Last connected'} <RelativeTime at={at} />.
      {status !== 'disconnected' && refreshed && (
        <>
          {' '}
          Access renewed <RelativeTime at={refreshed} />.
        </>
      )}
    </Quiet>
  );
}

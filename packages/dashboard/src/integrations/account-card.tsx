import { Title } from '@mantine/core';
import { useId } from 'react';
import type { IdentityProvider, Integration } from '../api/types.js';
import { Facts } from '../ui/facts.js';
import { Panel } from '../ui/panel.js';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { AccountActions } from './account-actions.js';
import { fullName } from './accounts.js';
import { Fold } from './fold.js';
import { History } from './history.js';
import { IdentityProviderIcon } from './identity-provider-icon.js';
import classes from './integrations.module.css';
import type { KindWords } from './kinds.js';
import { PermissionList } from './permission-list.js';
import { permissionsInShort, permissionsOf } from './permissions.js';
import { integrationStatus } from './status-words.js';

export interface AccountCardProps {
  readonly words: KindWords;
  readonly integration: Integration;
  readonly identityProvider: IdentityProvider;
  /** Are there other accounts of its kind that were not disconnected? */
  readonly hasOthers: boolean;
  /** Tells the reader of the page what was done. The button that did it is gone, and the focus with it. */
  readonly onDone: (notice: string) => void;
}

/** One account: where it is, how it is, and what can be done with it. */
export function AccountCard(props: AccountCardProps) {
  const { words, integration, identityProvider } = props;
  const { integration_id: integrationId, account, status, connected } = integration;
  const permissions = permissionsOf(words, integration);
  const { tone, label, explanation } = integrationStatus(integration);
  const isRefused = permissions.some(({ state }) => state === 'refused');
  const [name, place] = [useId(), useId()];

  return (
    <Panel className={classes['card'] ?? ''} aria-labelledby={`${name} ${place}`}>
      <div className={classes['head']}>
        <IdentityProviderIcon identityProvider={identityProvider} size="large" />
        <div className={classes['account']}>
          <Title order={3} size="h5" id={name}>
            {account}
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
      <Since integration={integration} />
      <AccountActions {...props} />
      <div className={classes['folds']}>
        {status !== 'disconnected' && (
          <Fold
            label="Permissions"
            of={fullName(integration, identityProvider)}
            summary={permissionsInShort(permissions)}
            tone={isRefused ? 'bad' : undefined}
            isOpen={connected && isRefused}
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

function Since({ integration }: Pick<AccountCardProps, 'integration'>) {
  const { connected_at: at, last_refreshed_at: refreshed, connected, status } = integration;
  const since = { term: connected ? 'Connected since' : 'Last connected', value: <Day at={at} /> };
  const renewed = {
    term: 'Access last renewed',
    value: refreshed ? <RelativeTime at={refreshed} /> : 'Not yet needed',
  };
  return <Facts facts={status === 'disconnected' ? [since] : [since, renewed]} />;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

const Day = ({ at }: { readonly at: string }) => (
  <time dateTime={at}>{DAY.format(new Date(at))}</time>
);

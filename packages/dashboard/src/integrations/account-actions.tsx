import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { IdentityProvider, Integration } from '../api/types.js';
import { FormProblem } from '../ui/form-problem.js';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { Quiet } from '../ui/text.js';
import { canBePrimary, fullName } from './accounts.js';
import { ConnectButton } from './connect-button.js';
import { makePrimary } from './integration-queries.js';
import classes from './integrations.module.css';
import type { KindWords } from './kinds.js';
import { reconnecting } from './status-words.js';

const DisconnectDialog = lazyDialog(
  async () => (await import('./disconnect-dialog.js')).DisconnectDialog,
);

export interface AccountProps {
  readonly words: KindWords;
  readonly integration: Integration;
  readonly identityProvider: IdentityProvider;
  /** True when other accounts of the same kind are not disconnected. */
  readonly hasOthers: boolean;
  /**
   * Receives the notice of what was done. The page shows the notice, because the pressed button is gone, and the
   * focus with it.
   */
  readonly onDone: (notice: string) => void;
}

/** The buttons that an account's state allows. */
export function AccountActions(props: AccountProps) {
  const { words, integration, identityProvider, hasOthers, onDone } = props;
  const { status, is_primary: isPrimary } = integration;
  const name = fullName(integration, identityProvider);
  const [asking, setAsking] = useState(false);
  const isStanding = status !== 'disconnected';
  return (
    <>
      <div className={classes['actions']}>
        <Reconnect {...props} />
        {!isPrimary && canBePrimary(integration) && <MakePrimary {...props} />}
        {isStanding && (
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setAsking(true)}>
            Disconnect <VisuallyHidden>{name}</VisuallyHidden>
          </Button>
        )}
      </div>
      <DisconnectDialog
        words={words}
        integration={integration}
        identityProvider={identityProvider}
        hasOthers={hasOthers}
        opened={asking}
        onClose={() => setAsking(false)}
        onDone={() => onDone(`Your ${words.name} ${name} was disconnected.`)}
      />
    </>
  );
}

/** Leads to the provider where that helps. */
export function Reconnect({
  words,
  integration,
  identityProvider,
  size = 'sm',
}: Pick<AccountProps, 'words' | 'integration' | 'identityProvider'> & Pick<ButtonProps, 'size'>) {
  const need = reconnecting(integration);
  if (need === 'useless') return null;
  const { id, display_name: place, providers } = identityProvider;
  if (!providers.includes(words.provider)) {
    return (
      <Quiet>
        It can’t be reconnected, because this installation no longer works with {place}.
      </Quiet>
    );
  }
  const client = { identityProvider: id, provider: words.provider };
  const isPartial = integration.missing_scopes.length > 0;
  const isQuiet = (need === 'useful' && !isPartial) || integration.status === 'disconnected';
  return (
    <ConnectButton words={words} client={client} quiet={isQuiet} size={size}>
      Reconnect <VisuallyHidden>{fullName(integration, identityProvider)}</VisuallyHidden>
    </ConnectButton>
  );
}

function MakePrimary({ words, integration, identityProvider, onDone }: AccountProps) {
  const name = fullName(integration, identityProvider);
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => makePrimary(queries, integration.integration_id),
    onSuccess: () => onDone(`${name} is now your primary ${words.name}.`),
  });
  return (
    <>
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        Make primary <VisuallyHidden>{name}</VisuallyHidden>
      </Button>
      <FormProblem error={error} fields={[]} />
    </>
  );
}

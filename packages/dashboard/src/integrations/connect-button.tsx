import { Button, type ButtonProps, Stack, VisuallyHidden } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemError } from '../api/problem.js';
import type { Client, IdentityProvider } from '../api/types.js';
import { FormProblem } from '../ui/form-problem.js';
import { notSetUp, notSetUpThere } from './callback.js';
import { IdentityProviderIcon } from './identity-provider-icon.js';
import { beginConnecting } from './integration-queries.js';
import classes from './integrations.module.css';
import type { KindWords } from './kinds.js';

export interface ConnectButtonProps extends Pick<ButtonProps, 'size'> {
  readonly words: KindWords;
  readonly client: Client;
  readonly quiet?: boolean;
  readonly children: ReactNode;
}

/** A button that leads to the provider's page, or says why that is not possible. */
export function ConnectButton(props: ConnectButtonProps) {
  const { words, client, quiet = false, size = 'sm', children } = props;
  const { mutate, isPending, error } = useConnecting();
  return (
    <Stack gap="xs" align="start">
      <Button
        size={size}
        variant={quiet ? 'default' : 'filled'}
        loading={isPending}
        onClick={() => mutate(client)}
      >
        {children}
      </Button>
      <FormProblem error={explained(error, words.name)} fields={[]} />
    </Stack>
  );
}

export interface ConnectChoiceProps {
  readonly words: KindWords;
  /** Identity providers at which accounts of this kind can be connected: at least two. */
  readonly servers: readonly IdentityProvider[];
}

/** A button for each identity provider at which an account can be connected. */
export function ConnectChoice({ words: { provider, name }, servers }: ConnectChoiceProps) {
  const { mutate, isPending, variables, error } = useConnecting();
  return (
    <Stack gap="xs">
      <div className={classes['choice']}>
        {servers.map((server) => (
          <Button
            key={server.id}
            variant="default"
            leftSection={<IdentityProviderIcon identityProvider={server} size="small" />}
            loading={isPending && variables.identityProvider === server.id}
            disabled={isPending}
            onClick={() => mutate({ identityProvider: server.id, provider })}
          >
            <VisuallyHidden>Connect {name} at </VisuallyHidden>
            {server.display_name}
          </Button>
        ))}
      </div>
      <FormProblem error={explained(error, name)} fields={[]} />
    </Stack>
  );
}

const useConnecting = () =>
  useMutation({ mutationFn: (client: Client) => beginConnecting(client) });

function explained(error: unknown, name: string): unknown {
  if (!(error instanceof ProblemError)) return error;
  switch (error.problem.code) {
    case 'unknown_provider':
      return new Error(notSetUp(name));
    case 'unknown_identity_provider':
      return new Error(notSetUpThere(name));
    default:
      return error;
  }
}

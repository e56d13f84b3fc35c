import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemError } from '../api/problem.js';
import { FormProblem } from '../ui/form-problem.js';
import { notSetUp } from './callback.js';
import { beginConnecting } from './integration-queries.js';
import type { ProviderWords } from './providers.js';

export interface ConnectButtonProps {
  readonly words: ProviderWords;
  readonly quiet?: boolean;
  readonly children: ReactNode;
}

/** Leaves for the provider, or says why that is not possible. */
export function ConnectButton({ words, quiet = false, children }: ConnectButtonProps) {
  const { provider, name } = words;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => beginConnecting(provider),
  });
  return (
    <Stack gap="xs" align="start">
      <Button variant={quiet ? 'default' : 'filled'} loading={isPending} onClick={() => mutate()}>
        {children}
      </Button>
      <FormProblem error={explained(error, name)} fields={[]} />
    </Stack>
  );
}

const explained = (error: unknown, name: string): unknown =>
  error instanceof ProblemError && error.problem.code === 'unknown_provider'
    ? new Error(notSetUp(name))
    : error;

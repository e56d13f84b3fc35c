import { useState } from 'react';
import { FormProblem } from '../ui/form-problem.js';
import { Action, Lines, PasswordLine, textOf } from './fields.js';
import { useAction } from './use-action.js';

export interface PasswordProofFormProps {
  readonly action?: string;
  readonly submit: (proof: { readonly password: string }) => Promise<void>;
}

/** The password of a user whose name is known. */
export function PasswordProofForm({ action = 'Continue', submit }: PasswordProofFormProps) {
  const { run, isPending, error } = useAction(submit);
  const [isMissing, setMissing] = useState(false);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const password = textOf(event.currentTarget, 'password');
        setMissing(password === '');
        if (password !== '') void run({ password });
      }}
    >
      <Lines>
        <FormProblem error={error} fields={[]} />
        <PasswordLine
          autoComplete="current-password"
          data-autofocus
          wrong={isMissing ? 'Enter your password.' : undefined}
        />
        <Action type="submit" isPending={isPending}>
          {action}
        </Action>
      </Lines>
    </form>
  );
}

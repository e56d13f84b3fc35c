import { useState } from 'react';
import { FormProblem } from '../ui/form-problem.js';
import { Action, Field, Lines, textOf } from './fields.js';
import { askPasskey, type FactorMethod, type FactorProof } from './second-factor.js';
import { useAction } from './use-action.js';

export interface FactorFormProps {
  readonly methods: readonly FactorMethod[];
  /** Token of the sign-in that waits for the second factor. */
  readonly mfaToken?: string;
  readonly submit: (proof: FactorProof) => Promise<void>;
}

const CODES = {
  totp: {
    label: 'Code from your authenticator app',
    other: 'Use a recovery code',
    mode: 'numeric',
    proof: (code: string) => ({ totp_code: code }),
  },
  recovery_code: {
    label: 'Recovery code',
    other: 'Use the authenticator app',
    mode: 'text',
    proof: (code: string) => ({ recovery_code: code }),
  },
} as const;

/** The form that asks for a second factor that the user has: a code, or a passkey. */
export function FactorForm({ methods, mfaToken, submit }: FactorFormProps) {
  const { run, isPending, error } = useAction(async (proof: () => Promise<FactorProof>) =>
    submit(await proof()),
  );
  const [kind, setKind] = useState<keyof typeof CODES>(
    methods.includes('totp') ? 'totp' : 'recovery_code',
  );
  const [isMissing, setMissing] = useState(false);
  const { label, other, mode, proof } = CODES[kind];
  const hasBoth = methods.includes('totp') && methods.includes('recovery_code');
  const hasCodes = methods.some((method) => method !== 'passkey');

  return (
    <Lines>
      <FormProblem error={error} fields={[]} />
      {methods.includes('passkey') && (
        <Action
          look="outlined"
          isPending={isPending}
          onClick={() => void run(async () => ({ passkey: await askPasskey(mfaToken) }))}
        >
          Use a passkey
        </Action>
      )}
      {hasCodes && (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            const code = textOf(event.currentTarget, 'code').trim();
            setMissing(code === '');
            if (code !== '') void run(async () => proof(code));
          }}
        >
          <Lines>
            <Field
              key={kind}
              label={label}
              name="code"
              inputMode={mode}
              autoComplete="one-time-code"
              spellCheck={false}
              autoFocus
              data-autofocus
              wrong={isMissing ? 'Enter a code.' : undefined}
            />
            <Action type="submit" isPending={isPending}>
              Continue
            </Action>
          </Lines>
        </form>
      )}
      {hasBoth && (
        <Action
          look="plain"
          onClick={() => {
            setMissing(false);
            setKind(kind === 'totp' ? 'recovery_code' : 'totp');
          }}
        >
          {other}
        </Action>
      )}
    </Lines>
  );
}

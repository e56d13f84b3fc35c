import { Button, Divider, Stack, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormProblem } from '../ui/form-problem.js';
import { askPasskey, type FactorMethod, type FactorProof } from './second-factor.js';

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
  const { mutate, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: async (proof: () => Promise<FactorProof>) => submit(await proof()),
    meta: { signsIn: true },
  });
  const [kind, setKind] = useState<keyof typeof CODES>(
    methods.includes('totp') ? 'totp' : 'recovery_code',
  );
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: isNotEmpty('Enter a code.') },
  });
  const { label, other, mode, proof } = CODES[kind];
  const hasBoth = methods.includes('totp') && methods.includes('recovery_code');
  const hasCodes = methods.some((method) => method !== 'passkey');

  return (
    <Stack>
      <FormProblem error={error} fields={[]} />
      {methods.includes('passkey') && (
        <Button
          variant="default"
          loading={isPending}
          onClick={() => mutate(async () => ({ passkey: await askPasskey(mfaToken) }))}
        >
          Use a passkey
        </Button>
      )}
      {methods.includes('passkey') && hasCodes && <Divider label="or" />}
      {hasCodes && (
        <form
          noValidate
          onSubmit={form.onSubmit(({ code }) => mutate(async () => proof(code.trim())))}
        >
          <Stack>
            <TextInput
              key={kind}
              label={label}
              inputMode={mode}
              autoComplete="one-time-code"
              spellCheck={false}
              autoFocus
              required
              {...form.getInputProps('code')}
            />
            <Button type="submit" loading={isPending}>
              Continue
            </Button>
          </Stack>
        </form>
      )}
      {hasBoth && (
        <Button
          variant="subtle"
          onClick={() => {
            form.reset();
            setKind(kind === 'totp' ? 'recovery_code' : 'totp');
          }}
        >
          {other}
        </Button>
      )}
    </Stack>
  );
}

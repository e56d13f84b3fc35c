import { Button, Stack, Text } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { PasswordProofForm } from '../session/password-proof-form.js';
import { sessionQuery } from '../session/session.js';
import { Disclosure } from '../ui/disclosure.js';
import { FormProblem } from '../ui/form-problem.js';
import { PasswordField } from '../ui/password-field.js';
import { PASSWORD_HINT } from '../ui/password-hint.js';
import { useSubmit } from '../ui/use-submit.js';
import { type RegistrantProof, type Verified, verify } from './verification.js';

const FIELDS = ['new_password'];

export interface RegistrantFormsProps {
  /** The reason that the link alone was not enough. */
  readonly code: string;
  readonly onVerified: (verified: Verified) => void;
}

/** Asks for the password of the registration, or for a new one of somebody who did not register. */
export function RegistrantForms({ code, onVerified }: RegistrantFormsProps) {
  const queries = useQueryClient();
  const show = async (proof: RegistrantProof) => {
    const verified = await verify(proof);
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    onVerified(verified);
  };
  const isRegistration = code === 'registrant_unknown';
  return (
    <>
      <Text>{isRegistration ? REGISTERED : ASKED_FOR}</Text>
      <PasswordProofForm submit={show} />
      {isRegistration && (
        <Disclosure summary="I did not sign up">
          <BeginAnewForm submit={show} />
        </Disclosure>
      )}
    </>
  );
}

const REGISTERED = 'Enter the password that you chose when you signed up.';
const ASKED_FOR =
  'Enter the password of the account that is to have this address. If you have none here, close this page.';

interface BeginAnewFormProps {
  readonly submit: (proof: RegistrantProof) => Promise<void>;
}

function BeginAnewForm({ submit: send }: BeginAnewFormProps) {
  const form = useForm({
    initialValues: { new_password: '' },
    validate: { new_password: isNotEmpty('Enter a new password.') },
  });
  const { submit, isPending, error } = useSubmit(form, { send, onSuccess: () => {} });
  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <Text size="sm">
          Somebody else did, with your address. Begin anew, and everything in that account ends: its
          sessions, API keys, webhooks and connected accounts.
        </Text>
        <FormProblem error={error} fields={FIELDS} />
        <PasswordField
          label="New password"
          description={PASSWORD_HINT}
          autoComplete="new-password"
          {...form.getInputProps('new_password')}
        />
        <Button type="submit" color="red" loading={isPending}>
          Begin anew
        </Button>
      </Stack>
    </form>
  );
}

import { Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { PasswordProofForm } from '../session/password-proof-form.js';
import { sessionQuery } from '../session/session.js';
import { Disclosure } from '../ui/disclosure.js';
import { NewPasswordForm } from './new-password-form.js';
import { type RegistrantProof, type Verified, verify } from './verification.js';

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
          <Stack>
            <Text size="sm">{BEGINS_ANEW}</Text>
            <NewPasswordForm label="Begin anew" color="red" send={show} />
          </Stack>
        </Disclosure>
      )}
    </>
  );
}

const REGISTERED = 'Enter the password that you chose when you signed up.';
const ASKED_FOR =
  'Enter the password of the account that is to have this address. If you have none here, close this page.';
const BEGINS_ANEW =
  'Somebody else did, with your address. Begin anew, and everything in that account ends: its sessions, API keys, webhooks and connected accounts.';

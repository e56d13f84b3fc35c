import { Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { call } from '../api/client.js';
import { stepUps } from '../api/step-up.js';
import { FactorForm } from './factor-form.js';
import { IssuerButtons } from './issuers.js';
import { LostFactor } from './lost-factor.js';
import { PasswordProofForm } from './password-proof-form.js';
import { sessionQuery } from './session.js';

/** Layer above every other dialog, because their actions demand the step-up. */
const Z_INDEX = 400;

/** Opens when a request is refused for want of a recent proof of who asks; the request is repeated afterwards. */
export function StepUpDialog({ opened }: { readonly opened: boolean }) {
  const current = useSyncExternalStore(stepUps.subscribe, stepUps.current);
  return (
    <Modal
      opened={opened}
      onClose={() => current?.cancel()}
      title="Confirm it’s you"
      zIndex={Z_INDEX}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Proof
        submit={async (proof) => {
          await call('POST', '/api/auth/step-up', { body: proof });
          current?.succeed();
        }}
      />
    </Modal>
  );
}

/** The factor of a user who has one, otherwise the password; it may be kept by another issuer. */
function Proof({ submit }: { readonly submit: (proof: object) => Promise<void> }) {
  const { data: user } = useQuery(sessionQuery);
  if (user?.second_factor) {
    return (
      <Stack>
        <Text size="sm">
          For this we need your second factor again: the last time was more than 15 minutes ago.
        </Text>
        <FactorForm methods={['passkey', 'totp', 'recovery_code']} submit={submit} />
        <LostFactor />
      </Stack>
    );
  }
  const isOurs = user?.has_password ?? true;
  return (
    <Stack>
      <Text size="sm">
        {isOurs ? 'For this we need your password again' : 'For this you need to sign in again'}:
        the last time was more than ten minutes ago.
      </Text>
      {isOurs ? <PasswordProofForm submit={submit} /> : <IssuerButtons />}
    </Stack>
  );
}

import { Modal, Stack, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { call } from '../api/client.js';
import { stepUps } from '../api/step-up.js';
import { FactorForm } from './factor-form.js';

/** Above every other dialog, because what is done there demands it. */
const Z_INDEX = 400;

/** Opens when a request is refused for want of a recent second factor; the request is repeated afterwards. */
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
      <Stack>
        <Text size="sm">
          For this we need your second factor again: the last time was more than 15 minutes ago.
        </Text>
        <FactorForm
          methods={['passkey', 'totp', 'recovery_code']}
          submit={async (proof) => {
            await call('POST', '/api/auth/step-up', { body: proof });
            current?.succeed();
          }}
        />
      </Stack>
    </Modal>
  );
}

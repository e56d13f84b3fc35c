import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { call } from '../api/client.js';
import { stepUps } from '../api/prompts.js';
import { Dialog } from '../ui/dialog.js';
import { FactorForm } from './factor-form.js';
import { Lines } from './fields.js';
import { IssuerButtons } from './issuers.js';
import { LostFactor } from './lost-factor.js';
import { PasswordProofForm } from './password-proof-form.js';
import { sessionQuery } from './session.js';

/** Opens when a request is refused for want of a recent proof of who asks; the request is repeated afterwards. */
export function StepUpDialog() {
  const current = useSyncExternalStore(stepUps.subscribe, stepUps.current);
  return (
    <Dialog
      opened={current !== undefined}
      onClose={() => current?.cancel()}
      title="Confirm it’s you"
    >
      <Proof
        submit={async (proof) => {
          await call('post', '/api/auth/step-up', { body: proof });
          current?.succeed();
        }}
      />
    </Dialog>
  );
}

/** The factor of a user who has one, otherwise the password; it may be kept by another issuer. */
function Proof({ submit }: { readonly submit: (proof: object) => Promise<void> }) {
  const { data: user } = useQuery(sessionQuery);
  if (user?.second_factor) {
    return (
      <Lines>
        <p>
          For this we need your second factor again: the last time was more than 15 minutes ago.
        </p>
        <FactorForm methods={['passkey', 'totp', 'recovery_code']} submit={submit} />
        <LostFactor />
      </Lines>
    );
  }
  const isOurs = user?.has_password ?? true;
  return (
    <Lines>
      <p>
        {isOurs ? 'For this we need your password again' : 'For this you need to sign in again'}:
        the last time was more than ten minutes ago.
      </p>
      {isOurs ? <PasswordProofForm submit={submit} /> : <IssuerButtons />}
    </Lines>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { sessionWaitsForIssuer } from '../api/client.js';
import { signIns } from '../api/prompts.js';
import { Dialog } from '../ui/dialog.js';
import { FactorForm } from './factor-form.js';
import { ActionLink, Lines } from './fields.js';
import { LostFactor } from './lost-factor.js';
import { PasswordProofForm } from './password-proof-form.js';
import { userOfThisTab } from './resume.js';
import { type SecondStep, secondStepIn } from './second-factor.js';
import { sessionQuery } from './session.js';
import { finishSignIn, signIn } from './sign-in.js';

/**
 * Opens above the page when its session has ended, so that what was typed there stays; the requests that met the end
 * are repeated afterwards. Whoever has no password here signs in in another tab, which tells this one.
 */
export function SignInDialog() {
  const current = useSyncExternalStore(signIns.subscribe, signIns.current);
  return (
    <Dialog
      opened={current !== undefined}
      onClose={() => current?.cancel()}
      title="Your session has ended"
    >
      <SignInAgain onDone={() => current?.succeed()} />
    </Dialog>
  );
}

function SignInAgain({ onDone }: { readonly onDone: () => void }) {
  const queries = useQueryClient();
  const [step, setStep] = useState<SecondStep>();
  const user = userOfThisTab();
  const finish = () => {
    if (user) queries.setQueryData(sessionQuery.queryKey, user);
    onDone();
  };
  const email = user?.email;

  if (step) {
    const { methods, mfa_token: mfaToken } = step;
    return (
      <Lines>
        <FactorForm
          methods={methods}
          mfaToken={mfaToken}
          submit={async (proof) => {
            await finishSignIn(mfaToken, proof);
            finish();
          }}
        />
        <LostFactor />
      </Lines>
    );
  }
  return (
    <Lines>
      <p>Sign in again to go on where you were. What you typed stays, and is sent afterwards.</p>
      {email && user.has_password && (
        <>
          <p>
            Signed in as <strong>{email}</strong>
          </p>
          <PasswordProofForm
            action="Sign in"
            submit={async ({ password }) => {
              try {
                await signIn({ email, password });
                finish();
              } catch (error) {
                const waiting = secondStepIn(error);
                if (waiting === undefined) throw error;
                setStep(waiting);
              }
            }}
          />
        </>
      )}
      <ActionLink
        href={sessionWaitsForIssuer() ? '/api/auth/session/issuer' : '/sign-in'}
        target="_blank"
      >
        {email && user.has_password ? 'Sign in another way' : 'Sign in'}, in a new tab
      </ActionLink>
    </Lines>
  );
}

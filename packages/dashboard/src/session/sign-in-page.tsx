import { useState } from 'react';
import { FormProblem } from '../ui/form-problem.js';
import { IconFingerprint } from '../ui/icons.js';
import { CredentialsForm } from './credentials-form.js';
import { EntryPage } from './entry-page.js';
import { FactorForm } from './factor-form.js';
import { Action, Lines } from './fields.js';
import { IssuerButtons, IssuerProblem } from './issuers.js';
import { LostFactor } from './lost-factor.js';
import { type SecondStep, secondStepIn } from './second-factor.js';
import { finishSignIn, signIn, signInByPasskey } from './sign-in.js';
import { useAction } from './use-action.js';

export interface EntryProps {
  /** Query of links to the other entry page, so that it leads on to the same page. */
  readonly search?: string;
  readonly onSignedIn: () => void;
}

/** `problem`: why the browser comes back from an issuer without a session. */
export function SignInPage({ search = '', problem, onSignedIn }: EntryProps & Problem) {
  const [step, setStep] = useState<SecondStep>();

  if (step) {
    const { methods, mfa_token: mfaToken } = step;
    return (
      <EntryPage>
        <Lines>
          <h1>Second factor</h1>
          <FactorForm
            methods={methods}
            mfaToken={mfaToken}
            submit={async (proof) => {
              await finishSignIn(mfaToken, proof);
              onSignedIn();
            }}
          />
          <LostFactor />
          <Action look="plain" onClick={() => setStep(undefined)}>
            Start again
          </Action>
        </Lines>
      </EntryPage>
    );
  }
  return (
    <CredentialsForm
      title="Sign in"
      action="Sign in"
      password="current-password"
      other={
        <>
          No account yet? <a href={`/sign-up${search}`}>Sign up</a>
        </>
      }
      notice={<IssuerProblem code={problem} />}
      help={<OtherWays onSignedIn={onSignedIn} />}
      submit={async (credentials) => {
        try {
          await signIn(credentials);
        } catch (error) {
          const waiting = secondStepIn(error);
          if (waiting === undefined) throw error;
          return setStep(waiting);
        }
        onSignedIn();
      }}
    />
  );
}

interface Problem {
  readonly problem?: string | undefined;
}

function OtherWays({ onSignedIn }: Pick<EntryProps, 'onSignedIn'>) {
  const { run, isPending, error } = useAction(async () => {
    await signInByPasskey();
    onSignedIn();
  });
  return (
    <>
      <Action look="outlined" isPending={isPending} onClick={() => void run()}>
        <IconFingerprint size={18} aria-hidden />
        Use a passkey
      </Action>
      <IssuerButtons />
      <FormProblem error={error} fields={[]} />
      <a href="/forgot-password">Forgot password?</a>
    </>
  );
}

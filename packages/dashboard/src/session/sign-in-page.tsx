import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { FormProblem } from '../ui/form-problem.js';
import { IconFingerprint } from '../ui/icons.js';
import { LinkAnchor } from '../ui/links.js';
import { PageTitle } from '../ui/text.js';
import { CredentialsForm } from './credentials-form.js';
import { EntryPage } from './entry-page.js';
import { FactorForm } from './factor-form.js';
import { IssuerButtons, IssuerProblem } from './issuers.js';
import { LostFactor } from './lost-factor.js';
import { nextPath } from './next-path.js';
import { type SecondStep, secondStepIn } from './second-factor.js';
import { finishSignIn, signIn, signInByPasskey } from './session.js';

const route = getRouteApi('/outside/sign-in');

export function SignInPage() {
  const queries = useQueryClient();
  const router = useRouter();
  const { next, problem } = route.useSearch();
  const [step, setStep] = useState<SecondStep>();
  const goOn = () => router.navigate({ href: nextPath(next), replace: true });

  if (step) {
    const { methods, mfa_token: mfaToken } = step;
    return (
      <EntryPage>
        <Stack>
          <PageTitle size="h3">Second factor</PageTitle>
          <FactorForm
            methods={methods}
            mfaToken={mfaToken}
            submit={async (proof) => {
              await finishSignIn(queries, mfaToken, proof);
              await goOn();
            }}
          />
          <LostFactor />
          <Button variant="subtle" onClick={() => setStep(undefined)}>
            Start again
          </Button>
        </Stack>
      </EntryPage>
    );
  }
  return (
    <CredentialsForm
      title="Sign in"
      action="Sign in"
      password="current-password"
      other={{ question: 'No account yet?', to: '/sign-up', label: 'Sign up' }}
      notice={<IssuerProblem code={problem} />}
      help={<OtherWays onSignedIn={goOn} />}
      next={next}
      submit={async (credentials) => {
        try {
          await signIn(queries, credentials);
        } catch (error) {
          const waiting = secondStepIn(error);
          if (waiting === undefined) throw error;
          return setStep(waiting);
        }
        await goOn();
      }}
    />
  );
}

function OtherWays({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => signInByPasskey(queries),
    meta: { signsIn: true },
    onSuccess: onSignedIn,
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={isPending}
        onClick={() => mutate()}
      >
        Use a passkey
      </Button>
      <IssuerButtons />
      <FormProblem error={error} fields={[]} />
      <LinkAnchor to="/forgot-password" size="sm" ta="center">
        Forgot password?
      </LinkAnchor>
    </>
  );
}

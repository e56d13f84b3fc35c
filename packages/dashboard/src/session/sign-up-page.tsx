import { ProblemError } from '../api/problem.js';
import { Alert } from '../ui/form-problem.js';
import { PASSWORD_HINT } from '../ui/password-hint.js';
import { CredentialsForm } from './credentials-form.js';
import { signUp } from './sign-in.js';
import type { EntryProps } from './sign-in-page.js';

const isTaken = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.code === 'email_taken';

export const SignUpPage = ({ search = '', onSignedIn }: EntryProps) => (
  <CredentialsForm
    title="Create your account"
    action="Sign up"
    password="new-password"
    hint={PASSWORD_HINT}
    other={
      <>
        Already have an account? <a href={`/sign-in${search}`}>Sign in</a>
      </>
    }
    explained={(error) =>
      isTaken(error) ? (
        <Alert title="This did not work">
          An account with this address exists. <a href={`/sign-in${search}`}>Sign in</a>.
        </Alert>
      ) : undefined
    }
    submit={async (credentials) => {
      await signUp(credentials);
      onSignedIn();
    }}
  />
);

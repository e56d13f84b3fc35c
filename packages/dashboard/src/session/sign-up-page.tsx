import { PASSWORD_HINT } from '../ui/password-hint.js';
import { CredentialsForm } from './credentials-form.js';
import { signUp } from './sign-in.js';
import type { EntryProps } from './sign-in-page.js';

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
    submit={async (credentials) => {
      await signUp(credentials);
      onSignedIn();
    }}
  />
);

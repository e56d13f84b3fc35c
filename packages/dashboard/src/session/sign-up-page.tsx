import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { PASSWORD_HINT } from '../ui/password-hint.js';
import { CredentialsForm } from './credentials-form.js';
import { nextPath } from './next-path.js';
import { signUp } from './session.js';

const route = getRouteApi('/outside/sign-up');

export function SignUpPage() {
  const queries = useQueryClient();
  const router = useRouter();
  const { next } = route.useSearch();

  return (
    <CredentialsForm
      title="Create your account"
      action="Sign up"
      password="new-password"
      hint={PASSWORD_HINT}
      other={{ question: 'Already have an account?', to: '/sign-in', label: 'Sign in' }}
      next={next}
      submit={async (credentials) => {
        await signUp(queries, credentials);
        await router.navigate({ href: nextPath(next), replace: true });
      }}
    />
  );
}

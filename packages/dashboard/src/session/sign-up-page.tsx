import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
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
      hint="At least 8 characters. A few random words are easy to remember and hard to guess."
      other={{ question: 'Already have an account?', to: '/sign-in', label: 'Sign in' }}
      next={next}
      submit={async (credentials) => {
        await signUp(queries, credentials);
        await router.navigate({ href: nextPath(next), replace: true });
      }}
    />
  );
}

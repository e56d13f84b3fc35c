import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { LinkAnchor } from '../ui/links.js';
import { CredentialsForm } from './credentials-form.js';
import { nextPath } from './next-path.js';
import { signIn } from './session.js';

const route = getRouteApi('/outside/sign-in');

export function SignInPage() {
  const queries = useQueryClient();
  const router = useRouter();
  const { next } = route.useSearch();

  return (
    <CredentialsForm
      title="Sign in"
      action="Sign in"
      password="current-password"
      other={{ question: 'No account yet?', to: '/sign-up', label: 'Sign up' }}
      help={
        <LinkAnchor to="/forgot-password" size="sm" ta="center">
          Forgot password?
        </LinkAnchor>
      }
      next={next}
      submit={async (credentials) => {
        await signIn(queries, credentials);
        await router.navigate({ href: nextPath(next), replace: true });
      }}
    />
  );
}

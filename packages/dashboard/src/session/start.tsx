import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { call } from '../api/client.js';
import { mayHaveSession } from './may-have-session.js';
import { nextAddress } from './next-address.js';
import { SignInPage } from './sign-in-page.js';
import { SignUpPage } from './sign-up-page.js';
import { hearTabs } from './tabs.js';

/** Shows the pages that lead to a session, which do without the rest of the app; a visitor who has one goes on. */
export async function start(root: Element): Promise<void> {
  const { pathname, search, origin } = window.location;
  const query = new URLSearchParams(search);
  const goOn = () => window.location.replace(nextAddress(query.get('next'), origin));
  if (mayHaveSession() && (await isSignedIn())) return goOn();

  hearTabs((userId) => {
    if (userId !== null) goOn();
  });
  const next = query.get('next');
  const links = next === null ? '' : `?${new URLSearchParams({ next }).toString()}`;
  createRoot(root).render(
    <StrictMode>
      {pathname === '/sign-up' ? (
        <SignUpPage search={links} onSignedIn={goOn} />
      ) : (
        <SignInPage search={links} problem={query.get('problem') ?? undefined} onSignedIn={goOn} />
      )}
    </StrictMode>,
  );
}

const isSignedIn = (): Promise<boolean> =>
  call('get', '/api/auth/me').then(
    () => true,
    () => false,
  );

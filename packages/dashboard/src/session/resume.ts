import type { QueryClient } from '@tanstack/react-query';
import { type Resume, sessionWaitsForIssuer } from '../api/client.js';
import { PromptCancelledError, signIns } from '../api/prompts.js';
import type { User } from '../api/types.js';
import { askIssuerAgain } from './ask-issuer-again.js';
import { sessionQuery } from './session.js';
import { hearTabs, tellTabs } from './tabs.js';

/** User of this tab. Stays when the session has ended, because the dialog asks this user and nobody else. */
let user: User | undefined;

export const userOfThisTab = (): User | undefined => user;

/** Keeps this tab and the others at one session. `arrived`: this tab shows pages of its user from now on. */
export function shareSession(queries: QueryClient): { arrived(user: User): void } {
  hearTabs((userId) => {
    if (user === undefined) return;
    if (userId === null) leave(queries);
    else if (userId !== user.id) {
      document.body.hidden = true;
      window.location.reload();
    } else {
      queries.setQueryData(sessionQuery.queryKey, user);
      signIns.current()?.succeed();
    }
  });
  // The browser may keep a page as it was and show it again by its back button.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) window.location.reload();
  });
  return {
    arrived(arrived) {
      if (user?.id !== arrived.id) tellTabs(arrived.id);
      user = arrived;
    },
  };
}

/** Nothing of a session that was ended in another tab stays in sight. */
function leave(queries: QueryClient): void {
  document.body.hidden = true;
  queries.clear();
  window.location.replace('/sign-in');
}

/**
 * Resumes a session that has ended, in a dialog above the page. A user who has closed it is asked again by the next
 * change that is sent, and not by pages that read again by themselves.
 */
export function resumeSession(queries: QueryClient): Resume {
  let isClosed = false;
  return async (method) => {
    if (!signIns.isHeard()) return false;
    // The issuer asks nothing of a user who is still signed in there, but whoever is typing must not leave the page.
    if (sessionWaitsForIssuer() && document.querySelector('form') === null) {
      await askIssuerAgain(window.location.pathname + window.location.search);
    }
    if (isClosed && method === 'get') throw new PromptCancelledError('Your session has ended.');
    try {
      await signIns.demand();
      isClosed = false;
      return true;
    } catch (error) {
      isClosed = true;
      queries.setQueryData(sessionQuery.queryKey, null); // the next page leads to sign-in and back
      throw error;
    }
  };
}

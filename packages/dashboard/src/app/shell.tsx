import { Outlet, useLocation, useRouteContext } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { stepUps } from '../api/step-up.js';
import { PortalFrame } from '../portal/portal-frame.js';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { AccountButton } from './account-button.js';
import { Frame } from './frame.js';

const StepUpDialog = lazyDialog(
  async () => (await import('../session/step-up-dialog.js')).StepUpDialog,
);

/** The frame around every page of a signed-in user. */
export function Shell() {
  const main = useFocusOnArrival();
  const stepUp = useSyncExternalStore(stepUps.subscribe, stepUps.current);
  const { pages } = useRouteContext({ from: '/inside' });
  const Around = pages === 'portal' ? PortalFrame : DashboardFrame;
  return (
    <Around>
      <main id="main" ref={main} className="frame-main" tabIndex={-1}>
        <Outlet />
      </main>
      <StepUpDialog opened={stepUp !== undefined} />
    </Around>
  );
}

const DashboardFrame = ({ children }: { readonly children: ReactNode }) => (
  <Frame account={<AccountButton />}>{children}</Frame>
);

/**
 * A new page begins at its beginning for the keyboard and the screen reader too, as it would if it had been
 * loaded; unless something on it has taken the focus already.
 */
function useFocusOnArrival() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (!main.current?.contains(document.activeElement)) main.current?.focus();
  }, [pathname]);
  return main;
}

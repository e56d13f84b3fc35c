import { Group } from '@mantine/core';
import { Outlet, useLocation, useRouteContext } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { SignInDialog } from '../session/sign-in-dialog.js';
import { StepUpDialog } from '../session/step-up-dialog.js';
import { AccountButton } from './account-button.js';
import { Frame } from './frame.js';
import { Keys } from './keys.js';
import { PortalFrame } from './portal-frame.js';

/** The frame around every page of a signed-in user. */
export function Shell() {
  const main = useFocusOnArrival();
  const { pages } = useRouteContext({ from: '/inside' });
  const isPortal = pages === 'portal';
  const Around = isPortal ? PortalFrame : DashboardFrame;
  return (
    <Around>
      <main id="main" ref={main} className="frame-main" tabIndex={-1}>
        <Outlet />
      </main>
      <StepUpDialog />
      {!isPortal && <SignInDialog />}
    </Around>
  );
}

const DashboardFrame = ({ children }: { readonly children: ReactNode }) => (
  <Frame
    account={
      <Group gap="xs">
        <Keys />
        <AccountButton />
      </Group>
    }
  >
    {children}
  </Frame>
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

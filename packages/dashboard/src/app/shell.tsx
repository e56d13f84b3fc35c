import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { StepUpDialog } from '../session/step-up-dialog.js';
import { AccountMenu } from './account-menu.js';
import { Logo } from './logo.js';
import classes from './shell.module.css';

const SECTIONS = [
  { to: '/integrations', label: 'Integrations' },
  { to: '/webhooks', label: 'Webhooks' },
] as const;

/** What surrounds every page of a signed-in user. */
export function Shell() {
  const main = useFocusOnArrival();
  return (
    <div className={classes['page']}>
      <a className={classes['skip']} href="#main">
        Skip to content
      </a>
      <header className={classes['header']}>
        <div className={classes['bar']}>
          <Logo />
          <nav className={classes['nav']} aria-label="Sections">
            {SECTIONS.map(({ to, label }) => (
              <Link key={to} to={to} className={classes['link'] ?? ''}>
                {label}
              </Link>
            ))}
            <a href="/docs" className={classes['link']}>
              Docs
            </a>
          </nav>
          <AccountMenu />
        </div>
      </header>
      <main id="main" ref={main} className={classes['main']} tabIndex={-1}>
        <Outlet />
      </main>
      <StepUpDialog />
    </div>
  );
}

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

import { Link, Outlet } from '@tanstack/react-router';
import { AccountMenu } from './account-menu.js';
import { Logo } from './logo.js';
import classes from './shell.module.css';

const SECTIONS = [
  { to: '/integrations', label: 'Integrations' },
  { to: '/webhooks', label: 'Webhooks' },
] as const;

/** What surrounds every page of a signed-in user. */
export function Shell() {
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
          </nav>
          <AccountMenu />
        </div>
      </header>
      <main id="main" className={classes['main']} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

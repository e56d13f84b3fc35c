import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Logo } from '../ui/logo.js';

const SECTIONS = [
  { to: '/integrations', label: 'Integrations' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/deliveries', label: 'Deliveries' },
] as const;

export interface FrameProps {
  /** Account button at the end of the header, once the user is known. */
  readonly account: ReactNode;
  /** The page, and what lies above it. */
  readonly children: ReactNode;
}

/** The header and the room for a page. index.html has the same, to be seen before any script is loaded. */
export const Frame = ({ account, children }: FrameProps) => (
  <div className="frame-page">
    <a className="frame-skip" href="#main">
      Skip to content
    </a>
    <header className="frame-header">
      <div className="frame-bar">
        <Link to="/" className="frame-home" aria-label="Junction home">
          <Logo />
        </Link>
        <nav className="frame-nav" aria-label="Sections">
          {SECTIONS.map(({ to, label }) => (
            <Link key={to} to={to} className="frame-link">
              {label}
            </Link>
          ))}
          <a href="/docs" className="frame-link">
            Docs
          </a>
        </nav>
        {account}
      </div>
    </header>
    {children}
  </div>
);

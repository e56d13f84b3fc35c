import { Link } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext } from 'react';
import type { PortalSession } from '../api/types.js';

/** Appearance of the product around the portal. */
export const AppearanceContext = createContext<PortalSession['appearance'] | undefined>(undefined);

/** The room for a page, with as little around it as there can be: the product has a header of its own. */
export function PortalFrame({ children }: { readonly children: ReactNode }) {
  const appearance = useContext(AppearanceContext);
  return (
    <div className="frame-page">
      <a className="frame-skip" href="#main">
        Skip to content
      </a>
      <header className="frame-header">
        <div className="frame-bar">
          {appearance?.logo_url && (
            <span className="frame-logo">
              <img
                className="frame-product"
                src={appearance.logo_url}
                alt={appearance.product_name ?? ''}
                height={26}
                referrerPolicy="no-referrer"
              />
            </span>
          )}
          <nav className="frame-nav" aria-label="Sections">
            <Link to="/webhooks" className="frame-link">
              Webhooks
            </Link>
            <Link to="/deliveries" className="frame-link">
              Deliveries
            </Link>
          </nav>
        </div>
      </header>
      {children}
    </div>
  );
}

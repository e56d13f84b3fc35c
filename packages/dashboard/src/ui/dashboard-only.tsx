import { useRouteContext } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/**
 * Renders its children in the dashboard alone. In a portal they would lead to pages that the portal does not have.
 */
export function DashboardOnly({ children }: { readonly children: ReactNode }) {
  const { pages } = useRouteContext({ from: '__root__' });
  return pages === 'all' ? children : null;
}

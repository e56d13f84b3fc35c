import { useRouteContext } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** What makes no sense in the frame of another product: it leads to pages that there are not. */
export function DashboardOnly({ children }: { readonly children: ReactNode }) {
  const { pages } = useRouteContext({ from: '__root__' });
  return pages === 'all' ? children : null;
}

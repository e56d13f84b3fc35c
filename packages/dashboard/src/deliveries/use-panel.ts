import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import type { Delivery } from '../api/types.js';

/** Names a delivery in the page's address, `wh_….dlv_…`. It is the id of its row, too. */
export const openKey = ({ webhook_id: webhookId, delivery_id: deliveryId }: Delivery): string =>
  `${webhookId}.${deliveryId}`;

/**
 * Shows a delivery beside the list, and nothing with `undefined`. Opening is a step of history, so that Back closes;
 * going on to another delivery is none.
 */
export function usePanel(): (open: string | undefined) => void {
  const navigate = useNavigate();
  const router = useRouter();
  const { state, search } = useLocation();
  const isOpen = search.open !== undefined;
  return (open) => {
    if (open === undefined && state.hasPanel) return router.history.back();
    void navigate({
      to: '.',
      search: (search) => ({ ...search, open }),
      state: isOpen ? true : { hasPanel: true },
      replace: isOpen,
      resetScroll: false,
    });
  };
}

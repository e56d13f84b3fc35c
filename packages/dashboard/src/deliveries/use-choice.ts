import { useCallback, useMemo, useState } from 'react';

/** Deliveries that are chosen in a list, by their ids. */
export interface Choice {
  readonly ids: readonly string[];
  readonly has: (deliveryId: string) => boolean;
  /** The same function for as long as the list is there, so that a row is drawn again only when it changes. */
  readonly toggle: (deliveryId: string) => void;
  readonly set: (deliveryIds: readonly string[]) => void;
}

export function useChoice(): Choice {
  const [ids, set] = useState<readonly string[]>([]);
  const toggle = useCallback((id: string) => {
    set((ids) => (ids.includes(id) ? ids.filter((chosen) => chosen !== id) : [...ids, id]));
  }, []);
  return useMemo(() => ({ ids, has: (id) => ids.includes(id), toggle, set }), [ids, toggle]);
}

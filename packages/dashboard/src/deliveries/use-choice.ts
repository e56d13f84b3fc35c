import { useMemo, useState } from 'react';

/** Deliveries that are chosen in a list, by their ids. */
export interface Choice {
  readonly ids: readonly string[];
  readonly has: (deliveryId: string) => boolean;
  readonly toggle: (deliveryId: string) => void;
  readonly set: (deliveryIds: readonly string[]) => void;
}

export function useChoice(): Choice {
  const [ids, set] = useState<readonly string[]>([]);
  return useMemo(() => {
    const has = (id: string) => ids.includes(id);
    const toggle = (id: string) =>
      set(has(id) ? ids.filter((chosen) => chosen !== id) : [...ids, id]);
    return { ids, has, toggle, set };
  }, [ids]);
}

import { lazy, Suspense, useState } from 'react';
import { chunk } from '../api/chunk.js';
import { ChunkBoundary } from '../ui/chunk-boundary.js';
import { AccountIcon } from './account-icon.js';

const load = () => import('./account-menu.js');
const AccountMenu = lazy(chunk(async () => ({ default: (await load()).AccountMenu })));

/**
 * The button that opens the account menu. The menu's code is loaded when the pointer reaches the button, or at the
 * click.
 */
export function AccountButton() {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <AccountIcon
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load().catch(() => undefined)}
      onClick={() => setWanted(true)}
    />
  );
  if (!isWanted) return button;
  return (
    <ChunkBoundary>
      <Suspense fallback={button}>
        <AccountMenu />
      </Suspense>
    </ChunkBoundary>
  );
}

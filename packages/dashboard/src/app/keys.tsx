import { ActionIcon } from '@mantine/core';
import { useEffect, useState } from 'react';
import { IconSearch } from '../ui/icons.js';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { hasLetterKeys } from './letter-keys.js';

const Palette = lazyDialog(async () => (await import('./palette.js')).Palette);
const KeysDialog = lazyDialog(async () => (await import('./keys-dialog.js')).KeysDialog);

/** Keys of every page: Ctrl-K goes anywhere, `/` searches the page, `?` lists the keys. */
export function Keys() {
  const [shown, setShown] = useState<'palette' | 'keys'>();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const action = actionOf(event);
      if (action === undefined || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      if (action === 'search') document.querySelector<HTMLElement>(SEARCH)?.focus();
      else setShown(action);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  const close = () => setShown(undefined);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={34}
        aria-label="Go to …"
        title="Go to … (Ctrl K)"
        onClick={() => setShown('palette')}
      >
        <IconSearch size={20} aria-hidden />
      </ActionIcon>
      <Palette opened={shown === 'palette'} onClose={close} />
      <KeysDialog opened={shown === 'keys'} onClose={close} />
    </>
  );
}

const SEARCH = 'main input[type="search"]';

function actionOf(event: KeyboardEvent): 'palette' | 'keys' | 'search' | undefined {
  const { key, target } = event;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && key === 'k') return 'palette';
  const isTyping = target instanceof Element && target.matches('input, textarea, select');
  if (isCommand || event.altKey || isTyping || !hasLetterKeys()) return undefined;
  if (key === '?') return 'keys';
  return key === '/' ? 'search' : undefined;
}

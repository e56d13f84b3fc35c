import type { ModalProps } from '@mantine/core';
import { lazyDialog } from './lazy-dialog.js';

const load = async () => (await import('./modal.js')).Modal;

/** Mantine's Modal, loaded when the first one opens. */
export const Dialog = lazyDialog<ModalProps>(load);

/** For what must be seen once it is there: to be called before. */
export const loadDialog = (): void => void load().catch(() => undefined);

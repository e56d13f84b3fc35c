import type { ModalProps } from '@mantine/core';
import { lazyDialog } from './lazy-dialog.js';

const load = async () => (await import('./modal.js')).Modal;

/** Mantine's Modal, loaded when the first one opens. */
export const Dialog = lazyDialog<ModalProps>(load);

/** Loads the dialog before it opens, for dialogs that must be visible at once. */
export const loadDialog = (): void => void load().catch(() => undefined);

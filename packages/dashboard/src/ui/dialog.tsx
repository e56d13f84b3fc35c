import { type ReactNode, useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import { Breakable } from './breakable.js';
import classes from './dialog.module.css';
import { IconX } from './icons.js';

export interface DialogProps {
  /** An address in it breaks between its parts. */
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** True when only a button of `children` closes the dialog, so that no slip of the hand does. */
  readonly isFirm?: boolean;
}

/**
 * A dialog above the page. The browser keeps the focus in it, and gives the focus back; a dialog that opens later lies
 * above one that is open. The element with `data-autofocus` has the focus first.
 */
export function Dialog({ opened, ...props }: DialogProps) {
  return opened && createPortal(<OpenDialog {...props} />, document.body);
}

function OpenDialog({ title, onClose, children, isFirm = false }: Omit<DialogProps, 'opened'>) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opened = dialog.current;
    const before = document.activeElement;
    opened?.showModal();
    opened?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      opened?.close();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      className={classes['dialog']}
      // Escape would close the dialog whatever its owner thinks of it.
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        if (!isFirm) onClose();
      }}
      onMouseDown={({ target, currentTarget }) => {
        if (target === currentTarget && !isFirm) onClose();
      }}
    >
      <div className={classes['content']}>
        <header>
          <h2 id={titleId}>
            <Breakable>{title}</Breakable>
          </h2>
          {!isFirm && (
            <button type="button" aria-label="Close" onClick={onClose}>
              <IconX size={18} aria-hidden />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}

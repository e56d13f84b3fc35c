import type { ReactNode } from 'react';
import classes from './disclosure.module.css';

export interface DisclosureProps {
  readonly summary: ReactNode;
  readonly children: ReactNode;
  readonly open?: boolean;
}

/**
 * Content that is folded away at first. `details` is the browser's own element: the keyboard can open it, and the
 * browser's search finds text inside.
 */
export const Disclosure = ({ summary, children, open = false }: DisclosureProps) => (
  <details className={classes['disclosure']} open={open}>
    <summary>{summary}</summary>
    <div className={classes['content']}>{children}</div>
  </details>
);

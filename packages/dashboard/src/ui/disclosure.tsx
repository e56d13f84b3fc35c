import type { ReactNode } from 'react';
import classes from './disclosure.module.css';

export interface DisclosureProps {
  readonly summary: ReactNode;
  readonly children: ReactNode;
  readonly open?: boolean;
}

/** What not everybody wants to read. The browser's own: it works by keyboard, and is found by its search. */
export const Disclosure = ({ summary, children, open = false }: DisclosureProps) => (
  <details className={classes['disclosure']} open={open}>
    <summary>{summary}</summary>
    <div className={classes['content']}>{children}</div>
  </details>
);

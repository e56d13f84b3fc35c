import type { ReactNode } from 'react';
import classes from './code-block.module.css';

export interface CodeBlockProps {
  readonly label: string;
  /** Shown as text, whatever it contains. */
  readonly children: string;
  /** Long lines break instead of running off to the side. */
  readonly wrap?: boolean;
}

/** Scrolls by itself, also by keyboard. */
export const CodeBlock = ({
  label,
  children,
  wrap = false,
}: Omit<CodeBlockProps, 'children'> & { readonly children: ReactNode }) => (
  <pre
    className={classes['code']}
    data-wrap={wrap || undefined}
    tabIndex={0}
    role="region"
    aria-label={label}
  >
    {children}
  </pre>
);

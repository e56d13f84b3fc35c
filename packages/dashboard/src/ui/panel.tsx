import type { ComponentProps } from 'react';
import classes from './panel.module.css';

/** The surface on which one thing is said. */
export const Panel = ({ className = '', ...props }: ComponentProps<'section'>) => (
  <section {...props} className={`${classes['panel'] ?? ''} ${className}`} />
);

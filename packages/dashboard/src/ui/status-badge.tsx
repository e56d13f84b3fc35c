import type { ReactNode } from 'react';
import classes from './status-badge.module.css';
import type { Tone } from './tone.js';

/** A status in a word or two; the colour only repeats what the word says. */
export function StatusBadge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
}) {
  return (
    <span className={classes['badge']} data-tone={tone}>
      {children}
    </span>
  );
}

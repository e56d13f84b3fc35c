import { VisuallyHidden } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { IconChevronDown } from '../ui/icons.js';
import classes from './fold.module.css';

export interface FoldProps {
  readonly label: string;
  /** The subject of the label, for users who cannot see it above (screen readers). */
  readonly of: string;
  /** Summary of the content in a few words. */
  readonly summary?: string;
  readonly tone?: 'waiting' | undefined;
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** A part of a card that is rendered, and so loaded, once it is opened. */
export function Fold({ label, of, summary, tone, isOpen = false, children }: FoldProps) {
  const [opened, setOpened] = useState(isOpen);
  const id = useId();
  return (
    <div className={classes['fold']}>
      <button
        type="button"
        aria-expanded={opened}
        aria-controls={id}
        onClick={() => setOpened(!opened)}
      >
        <IconChevronDown size={18} aria-hidden />
        {label}
        <VisuallyHidden>of {of}</VisuallyHidden>
        {summary && (
          <span className={classes['summary']} data-tone={tone}>
            {summary}
          </span>
        )}
      </button>
      <div id={id} hidden={!opened}>
        {opened && children}
      </div>
    </div>
  );
}

import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import classes from './filter-row.module.css';

export interface FilterRowProps {
  /** Number of choices that leave something out. */
  readonly count: number;
  /** Field of the search, which is always there. */
  readonly search: ReactNode;
  /** The choices. */
  readonly children: ReactNode;
}

/** Choices in a row beside a search; on a phone one button with their number unfolds them. */
export function FilterRow({ count, search, children }: FilterRowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes['filter']} data-open={isOpen || undefined}>
      <Button
        className={classes['unfold'] ?? ''}
        variant={count > 0 ? 'light' : 'default'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {count > 0 ? `Filter (${count})` : 'Filter'}
      </Button>
      <div className={classes['choices']}>{children}</div>
      <div className={classes['search']}>{search}</div>
    </div>
  );
}

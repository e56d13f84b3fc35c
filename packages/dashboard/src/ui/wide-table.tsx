import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './wide-table.module.css';

export interface WideTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** A column more, with buttons. */
  readonly hasActions?: boolean;
  /** True when all columns but the first are numbers, to be compared down the column. */
  readonly isNumeric?: boolean;
  /** The rows. */
  readonly children: ReactNode;
}

/** A table that scrolls within its panel, by keyboard too. */
export const WideTable = ({
  label,
  columns,
  hasActions = false,
  isNumeric = false,
  children,
}: WideTableProps) => (
  <div className={classes['scroll']} tabIndex={0} role="region" aria-label={label}>
    <table className={classes['table']} data-numeric={isNumeric || undefined}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          {hasActions && (
            <th scope="col">
              <VisuallyHidden>Action</VisuallyHidden>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

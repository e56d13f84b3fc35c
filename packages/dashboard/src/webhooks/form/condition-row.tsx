import { CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { type FilterRow, needsValue, OPERATORS, type Operator } from './filter-rows.js';
import classes from './form.module.css';

/** Id of the list of proposed paths. */
export const PATHS_ID = 'filter-paths';

export interface ConditionRowProps {
  readonly number: number;
  readonly row: FilterRow;
  readonly onRow: (row: FilterRow) => void;
  readonly onRemove: () => void;
  readonly 'data-path'?: string | undefined;
}

export const ConditionRow = ({ number, row, onRow, onRemove, ...marked }: ConditionRowProps) => (
  <div className={classes['condition']}>
    <TextInput
      aria-label={`Field of condition ${number}`}
      placeholder="categorized.important"
      list={PATHS_ID}
      value={row.path}
      autoComplete="off"
      spellCheck={false}
      data-path={marked['data-path']}
      onChange={({ currentTarget: { value: path } }) => onRow({ ...row, path })}
    />
    <NativeSelect
      aria-label={`Comparison of condition ${number}`}
      data={[...OPERATORS]}
      value={row.operator}
      onChange={({ currentTarget: { value } }) => onRow({ ...row, operator: value as Operator })}
    />
    {needsValue(row.operator) ? (
      <TextInput
        aria-label={`Value of condition ${number}`}
        placeholder={row.operator === 'in' ? 'one, two, 3' : 'Value'}
        value={row.value}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget: { value } }) => onRow({ ...row, value })}
      />
    ) : (
      <span />
    )}
    <CloseButton size="lg" aria-label={`Remove condition ${number}`} onClick={onRemove} />
  </div>
);

import { Button, Group, Input, SegmentedControl, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../api/types.js';
import { IconPlus } from '../../ui/icons.js';
import { ConditionRow, PATHS_ID } from './condition-row.js';
import { FilterPreview } from './filter-preview.js';
import { type FilterRow, type FilterRows, filterOf, rowsOf } from './filter-rows.js';
import classes from './form.module.css';
import { filterText } from './form-values.js';
import { lostNumber } from './lost-number.js';
import { pathsIn } from './paths.js';

export interface FilterFieldProps {
  readonly catalogue: readonly Schemas['EventType'][];
  /** Kinds and wildcards as they are chosen in the form. */
  readonly events: readonly string[];
  /** JSON; empty: every event passes. */
  readonly value?: string;
  readonly onChange?: (filter: string) => void;
  readonly error?: ReactNode;
  readonly 'data-path'?: string;
}

const EMPTY: FilterRow = { path: '', operator: 'equals', value: '' };

/**
 * The filter of events by their contents: as conditions below each other, or as JSON when conditions cannot express
 * it.
 */
export function FilterField(props: FilterFieldProps) {
  const { catalogue, events, value = '', onChange, error } = props;
  // Rows that are begun are no filter yet, so they are kept beside the text.
  const [rows, setRows] = useState<FilterRows | undefined>(() => readRows(value));
  const [isJson, setJson] = useState(rows === undefined);
  const show = (rows: FilterRows) => {
    setRows(rows);
    const filter = filterOf(rows);
    onChange?.(filter === undefined ? '' : filterText(filter));
  };
  const parsed = rows === undefined || isJson ? readRows(value) : rows;

  return (
    <Stack gap="md">
      <Group justify="space-between" align="start">
        <Input.Description>
          Only events whose data matches are sent. Without conditions, every event is.
        </Input.Description>
        <SegmentedControl
          size="xs"
          aria-label="How the filter is edited"
          data={[
            { value: 'rows', label: 'Conditions', disabled: parsed === undefined },
            { value: 'json', label: 'JSON' },
          ]}
          value={isJson ? 'json' : 'rows'}
          onChange={(chosen) => {
            setRows(parsed);
            setJson(chosen === 'json');
          }}
        />
      </Group>
      {isJson || parsed === undefined ? (
        <Textarea
          label="Filter as JSON"
          className={classes['json'] ?? ''}
          rows={8}
          spellCheck={false}
          value={value}
          error={error}
          data-path={props['data-path']}
          onChange={({ currentTarget: { value } }) => onChange?.(value)}
        />
      ) : (
        <Rows rows={parsed} onRows={show} error={error} data-path={props['data-path']} />
      )}
      <datalist id={PATHS_ID}>
        {pathsIn(catalogue).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <FilterPreview filter={value} events={events} />
    </Stack>
  );
}

const readRows = (text: string): FilterRows | undefined => {
  if (text.trim() === '') return { match: 'all', rows: [] };
  if (lostNumber(text) !== undefined) return undefined;
  try {
    return rowsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
};

interface RowsProps {
  readonly rows: FilterRows;
  readonly onRows: (rows: FilterRows) => void;
  readonly error: ReactNode;
  readonly 'data-path'?: string | undefined;
}

function Rows({ rows: { match, rows }, onRows, error, ...marked }: RowsProps) {
  const put = (rows: readonly FilterRow[]) => onRows({ match, rows });
  return (
    <Stack gap="sm">
      {rows.length > 1 && (
        <SegmentedControl
          size="xs"
          aria-label="How the conditions combine"
          data={[
            { value: 'all', label: 'Match all' },
            { value: 'any', label: 'Match any' },
          ]}
          value={match}
          onChange={(match) => onRows({ match, rows })}
        />
      )}
      {rows.map((row, index) => (
        <ConditionRow
          // oxlint-disable-next-line react/no-array-index-key -- A line is its place.
          key={index}
          number={index + 1}
          row={row}
          {...(index === 0 && { 'data-path': marked['data-path'] })}
          onRow={(row) => put(rows.map((one, at) => (at === index ? row : one)))}
          onRemove={() => put(rows.filter((_, at) => at !== index))}
        />
      ))}
      {error && <Input.Error>{error}</Input.Error>}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => put([...rows, EMPTY])}
        >
          Add condition
        </Button>
      </div>
    </Stack>
  );
}

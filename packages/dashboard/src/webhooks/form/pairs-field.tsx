import { Button, CloseButton, Input, Stack, TextInput, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { IconPlus } from '../../ui/icons.js';
import classes from './form.module.css';
import type { Pair } from './form-values.js';

export interface PairsFieldProps {
  readonly label: string;
  readonly description: string;
  /** Name of a single entry: `header`. */
  readonly one: string;
  readonly value?: readonly Pair[];
  readonly onChange?: (pairs: readonly Pair[]) => void;
  readonly error?: ReactNode;
  /** Path by which the form finds the field to focus. */
  readonly 'data-path'?: string;
}

/** A list of names and values. A stored value is not shown, and stays until another one is typed. */
export function PairsField(props: PairsFieldProps) {
  const { label, description, one, value: pairs = [], onChange, error } = props;
  const errorId = useId();
  const put = (index: number, changes: Partial<Pair>) =>
    onChange?.(pairs.map((pair, at) => (at === index ? { ...pair, ...changes } : pair)));

  return (
    <Stack gap="sm" component="fieldset" className={classes['fieldset'] ?? ''}>
      <VisuallyHidden component="legend">{label}</VisuallyHidden>
      <Input.Description>{description}</Input.Description>
      {pairs.map(({ name, value, isStored }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- A line is its place: names are being typed.
        <div key={index} className={classes['pair']}>
          <TextInput
            aria-label={`Name of ${one} ${index + 1}`}
            placeholder="Name"
            value={name}
            readOnly={isStored === true}
            autoComplete="off"
            spellCheck={false}
            error={Boolean(error)}
            {...(error && { 'aria-describedby': errorId })}
            {...(index === 0 && { 'data-path': props['data-path'] })}
            onChange={({ currentTarget: { value: name } }) => put(index, { name })}
          />
          <TextInput
            aria-label={`Value of ${one} ${index + 1}`}
            placeholder={isStored ? 'Unchanged' : 'Value'}
            value={value}
            autoComplete="off"
            spellCheck={false}
            onChange={({ currentTarget: { value } }) => put(index, { value })}
          />
          <CloseButton
            size="lg"
            aria-label={`Remove ${name || `${one} ${index + 1}`}`}
            onClick={() => onChange?.(pairs.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {error && <Input.Error id={errorId}>{error}</Input.Error>}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange?.([...pairs, { name: '', value: '' }])}
        >
          Add {one}
        </Button>
      </div>
    </Stack>
  );
}

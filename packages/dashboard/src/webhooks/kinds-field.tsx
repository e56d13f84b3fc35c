import { Anchor, Checkbox, Code, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { EVENT_KINDS } from './event-kinds.js';

export interface KindsFieldProps {
  readonly value?: string[];
  readonly onChange?: (events: string[]) => void;
  readonly error?: ReactNode;
  /** By which the form finds what to focus. */
  readonly 'data-path'?: string;
}

export function KindsField({ value = [], onChange, error, ...marked }: KindsFieldProps) {
  const types = EVENT_KINDS.map(({ type }) => type);
  const hasAll = types.every((type) => value.includes(type));

  return (
    <Checkbox.Group
      label="Events"
      description="Which kinds are sent to this address."
      required
      value={value}
      onChange={(events) => onChange?.(events)}
      error={error}
    >
      <Stack gap="md" my="md">
        {EVENT_KINDS.map(({ type, label, sentWhen }, index) => (
          <Checkbox
            key={type}
            {...(index === 0 && { 'data-path': marked['data-path'] })}
            value={type}
            label={
              <Group gap="xs">
                {label} <Code>{type}</Code>
              </Group>
            }
            description={sentWhen}
          />
        ))}
      </Stack>
      <Anchor
        component="button"
        type="button"
        size="sm"
        onClick={() => onChange?.(hasAll ? [] : types)}
      >
        {hasAll ? 'Select none' : 'Select all'}
      </Anchor>
    </Checkbox.Group>
  );
}

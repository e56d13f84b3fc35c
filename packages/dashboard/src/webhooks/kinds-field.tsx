import { Anchor, Checkbox, Code, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ALL_KINDS, choicesOf, EVENT_KINDS, tickedBy } from './event-kinds.js';

export interface KindsFieldProps {
  readonly value?: string[];
  readonly onChange?: (events: string[]) => void;
  readonly error?: ReactNode;
  /** By which the form finds what to focus. */
  readonly 'data-path'?: string;
}

export function KindsField({ value = [], onChange, error, ...marked }: KindsFieldProps) {
  const types = EVENT_KINDS.map(({ type }) => type);
  const ticked = tickedBy(value);
  const hasAll = types.every((type) => ticked.includes(type));

  return (
    <Checkbox.Group
      label="Events"
      description="Which kinds are sent to this address."
      required
      value={ticked}
      onChange={(ticked) => onChange?.(choicesOf(ticked, value))}
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
        <Checkbox
          value={ALL_KINDS}
          label={
            <Group gap="xs">
              Every kind <Code>{ALL_KINDS}</Code>
            </Group>
          }
          description="These and those that come later, so that you never have to come back for them."
        />
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

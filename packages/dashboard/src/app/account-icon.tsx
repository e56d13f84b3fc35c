import { ActionIcon } from '@mantine/core';
import type { ComponentProps } from 'react';
import { IconUserCircle } from '../ui/icons.js';

export const AccountIcon = (props: ComponentProps<typeof ActionIcon<'button'>>) => (
  <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account" {...props}>
    <IconUserCircle stroke={1.6} />
  </ActionIcon>
);

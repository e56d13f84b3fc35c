import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/panel.js';

export interface SectionProps {
  readonly title: string;
  readonly hint: string;
  readonly action?: ReactNode;
  /** Notice of the last change in this section. */
  readonly notice?: string | undefined;
  readonly onNoticeClosed?: () => void;
  readonly children?: ReactNode;
}

/** A section of the account page, with its title and actions. */
export function Section(props: SectionProps) {
  const { title, hint, action, notice, onNoticeClosed, children } = props;
  const id = useId();
  return (
    <Panel aria-labelledby={id}>
      <Stack>
        <div>
          <Group justify="space-between" align="start">
            <div>
              <Title order={2} size="h4" id={id}>
                {title}
              </Title>
              <Text size="sm" c="var(--text-quiet)">
                {hint}
              </Text>
            </div>
            {action}
          </Group>
          {onNoticeClosed && <Notice onClose={onNoticeClosed}>{notice}</Notice>}
        </div>
        {children}
      </Stack>
    </Panel>
  );
}

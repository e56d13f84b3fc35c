import { Group, Stack } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/panel.js';
import { PanelTitle, Quiet } from '../ui/text.js';

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
              <PanelTitle id={id}>{title}</PanelTitle>
              <Quiet>{hint}</Quiet>
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

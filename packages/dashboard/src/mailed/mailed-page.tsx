import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { EntryPage } from '../session/entry-page.js';
import { PageTitle } from '../ui/text.js';

interface MailedPageProps {
  readonly title: string;
  /** Result of it; announced to a screen reader. */
  readonly outcome?: ReactNode;
  readonly footer: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a page that a mail leads to, or that asks for the mail. */
export const MailedPage = ({ title, outcome, footer, children }: MailedPageProps) => (
  <EntryPage footer={footer}>
    <Stack>
      <div>
        <PageTitle size="h3">{title}</PageTitle>
        <div role="status">{outcome}</div>
      </div>
      {children}
    </Stack>
  </EntryPage>
);

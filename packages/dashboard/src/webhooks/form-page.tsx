import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageTitle } from '../ui/text.js';

export interface FormPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

export const FormPage = ({ title, children }: FormPageProps) => (
  <Stack gap="lg" maw={680} mx="auto">
    <PageTitle>{title}</PageTitle>
    {children}
  </Stack>
);

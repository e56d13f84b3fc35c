import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface FormPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

export const FormPage = ({ title, children }: FormPageProps) => (
  <Stack gap="lg" maw={680} mx="auto">
    <Title order={1} size="h2">
      {title}
    </Title>
    {children}
  </Stack>
);

import { Text, type TextProps, Title, type TitleProps } from '@mantine/core';
import type { ComponentProps } from 'react';

type Paragraph = TextProps & Omit<ComponentProps<'p'>, keyof TextProps>;
type Heading = TitleProps & Omit<ComponentProps<'h1'>, keyof TitleProps>;

/** Text that explains what stands around it. */
export const Quiet = (props: Paragraph) => <Text size="sm" c="var(--text-quiet)" {...props} />;

/** The title of a page; of one within a card it is an h3 by its size. */
export const PageTitle = (props: Heading) => <Title order={1} size="h2" {...props} />;

export const PanelTitle = (props: Heading) => <Title order={2} size="h4" {...props} />;

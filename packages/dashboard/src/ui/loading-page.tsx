import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

export function LoadingPage() {
  return (
    <Stack aria-busy="true">
      <VisuallyHidden role="status">Loading …</VisuallyHidden>
      <Skeleton h={34} w={220} />
      <Skeleton h={140} />
      <Skeleton h={140} />
    </Stack>
  );
}

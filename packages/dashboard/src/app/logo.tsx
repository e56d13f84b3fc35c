import { Group, Text } from '@mantine/core';

export function Logo() {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src="/favicon.svg" alt="" width={26} height={26} />
      <Text component="span" fw={700} size="lg">
        Junction
      </Text>
    </Group>
  );
}

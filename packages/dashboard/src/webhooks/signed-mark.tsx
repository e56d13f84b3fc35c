import { Group, Text } from '@mantine/core';
import { IconShieldCheck, IconShieldOff } from '@tabler/icons-react';

/** Does it have a secret? Which one is never shown. */
export function SignedMark({ signed }: { readonly signed: boolean }) {
  const Icon = signed ? IconShieldCheck : IconShieldOff;
  return (
    <Group component="span" gap={6} c="var(--text-quiet)" wrap="nowrap">
      <Icon size={16} stroke={1.7} aria-hidden />
      <Text component="span" size="sm">
        {signed ? 'Signed with a secret' : 'Not signed'}
      </Text>
    </Group>
  );
}

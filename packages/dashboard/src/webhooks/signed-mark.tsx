import { Group, Text } from '@mantine/core';
import type { Webhook } from '../api/types.js';
import { IconShieldCheck, IconShieldOff } from '../ui/icons.js';

export type Signing = Pick<Webhook, 'has_secret' | 'signature'>;

/** Shows how the requests of a webhook are signed, but never the secret. */
export function SignedMark({ webhook }: { readonly webhook: Signing }) {
  const ways = [webhook.has_secret && 'a secret', webhook.signature].filter(Boolean);
  const Icon = ways.length > 0 ? IconShieldCheck : IconShieldOff;
  return (
    <Group component="span" gap={6} c="var(--text-quiet)" wrap="nowrap">
      <Icon size={16} stroke={1.7} aria-hidden />
      <Text component="span" size="sm">
        {ways.length > 0 ? `Signed with ${ways.join(' and ')}` : 'Not signed'}
      </Text>
    </Group>
  );
}

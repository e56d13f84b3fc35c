import { Anchor, Text } from '@mantine/core';

/** The way back for who cannot show the factor that is asked for. */
export const LostFactor = () => (
  <Text size="sm" c="var(--text-quiet)">
    Lost it? Use one of your recovery codes. Without one, ask an operator of this installation to
    remove your second factors: <Anchor href="/docs/recover">how to get back in</Anchor>.
  </Text>
);

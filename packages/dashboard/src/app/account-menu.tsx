import { ActionIcon, Menu, SegmentedControl, Text, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconSettings, IconUserCircle } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionQuery, signOut } from '../session/session.js';

const SCHEMES = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function AccountMenu() {
  const { data: user } = useQuery(sessionQuery);
  const queries = useQueryClient();
  const router = useRouter();
  const leave = useMutation({
    mutationFn: () => signOut(queries),
    onSuccess: () => router.navigate({ to: '/sign-in' }),
  });
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });

  return (
    <Menu position="bottom-end" width={250} withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account">
          <IconUserCircle stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Signed in as
          <Text size="sm" truncate c="var(--mantine-color-text)">
            {user?.email ?? `a user of ${user?.origin}`}
          </Text>
        </Menu.Label>
        <Menu.Item
          leftSection={<IconSettings size={16} />}
          onClick={() => void router.navigate({ to: '/account' })}
        >
          Your account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label="Appearance"
          data={SCHEMES}
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
        />
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

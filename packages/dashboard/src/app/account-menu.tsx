import { Menu, Text, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { sessionQuery, signOut } from '../session/session.js';
import { IconLogout, IconServerCog, IconSettings } from '../ui/icons.js';
import { AccountIcon } from './account-icon.js';

const SCHEMES = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Opens as soon as it is there. */
export function AccountMenu() {
  const { data: user } = useQuery(sessionQuery);
  const queries = useQueryClient();
  const router = useRouter();
  const leave = useMutation({
    mutationFn: () => signOut(queries),
    onSuccess: () => {
      document.body.hidden = true; // No form asks to be saved any more.
      window.location.assign('/sign-in');
    },
  });
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });

  const [opened, setOpened] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    target.current?.focus(); // this button replaced the pressed one, which had the focus
    setOpened(true);
  }, []);

  return (
    <Menu
      position="bottom-end"
      width={250}
      withinPortal
      // The placeholder would be a child of the menu that is no menu item, which axe refuses.
      withInitialFocusPlaceholder={false}
      opened={opened}
      onChange={setOpened}
    >
      <Menu.Target>
        <AccountIcon ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Signed in as
          <Text size="sm" truncate c="var(--mantine-color-text)">
            {user && (user.email ?? `a user of ${user.origin}`)}
          </Text>
        </Menu.Label>
        <Menu.Item
          leftSection={<IconSettings size={16} />}
          onClick={() => void router.navigate({ to: '/account' })}
        >
          Your account
        </Menu.Item>
        {user?.role === 'operator' && (
          <Menu.Item
            leftSection={<IconServerCog size={16} />}
            onClick={() => void router.navigate({ to: '/operations' })}
          >
            Operations
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
        >
          {SCHEMES.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

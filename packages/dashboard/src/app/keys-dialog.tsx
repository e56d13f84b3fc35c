import { Group, Kbd, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../ui/dialog.js';
import { Facts } from '../ui/facts.js';
import { hasLetterKeys, setLetterKeys } from './letter-keys.js';

const KEYS = [
  { keys: ['Ctrl K'], words: 'Go to a page, a webhook, a delivery or an event' },
  { keys: ['/'], words: 'Search on this page' },
  { keys: ['?'], words: 'Show these keys' },
  { keys: ['j', '↓'], words: 'Open the next delivery, beside the list' },
  { keys: ['k', '↑'], words: 'Open the delivery before' },
  { keys: ['Esc'], words: 'Close what is open' },
];

export interface KeysDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The keys that there are; those that are single letters can be turned off. */
export function KeysDialog({ opened, onClose }: KeysDialogProps) {
  const [isOn, setOn] = useState(hasLetterKeys);
  return (
    <Dialog title="Keys" opened={opened} onClose={onClose}>
      <Stack>
        <Facts
          facts={KEYS.map(({ keys, words }) => ({
            term: words,
            wide: true,
            value: (
              <Group gap="xs">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </Group>
            ),
          }))}
        />
        <Switch
          label="Keys without Ctrl"
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => {
            setOn(checked);
            setLetterKeys(checked);
          }}
        />
      </Stack>
    </Dialog>
  );
}

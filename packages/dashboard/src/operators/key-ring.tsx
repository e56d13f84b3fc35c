import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { StatusBadge } from '../ui/status-badge.js';
import { type RingKey, type ServiceName, useOperation } from './operator-queries.js';
import { WideTable } from './wide-table.js';

export interface KeyRingProps {
  readonly service: ServiceName;
  readonly keys: readonly RingKey[];
}

/** Which keys of the ring have sealed how much. Names and numbers, never a key. */
export function KeyRing({ service, keys }: KeyRingProps) {
  const [asking, setAsking] = useState(false);
  const { mutate, isPending, error, reset } = useOperation(service, 'keys');
  const older = keys.filter(({ newest }) => !newest);
  const close = () => {
    setAsking(false);
    reset();
  };
  return (
    <>
      <WideTable label="Keys" columns={['Key', 'It', 'Has sealed']}>
        {keys.map((key) => (
          <tr key={key.key_id}>
            <th scope="row">{key.key_id}</th>
            <td>
              <KeyBadge ringKey={key} />
            </td>
            <td>{key.uses.reduce((sum, { rows }) => sum + rows, 0)} rows</td>
          </tr>
        ))}
      </WideTable>
      {older.length === 0 ? (
        <Text size="sm" c="var(--text-quiet)" mt="xs">
          Everything is sealed with the newest key. To replace it, put another before it in
          VAULT_KEYS.
        </Text>
      ) : (
        <Button variant="default" size="compact-sm" mt="xs" onClick={() => setAsking(true)}>
          Seal everything with the newest
        </Button>
      )}
      <ConfirmDialog
        title="Seal everything with the newest key?"
        action="Seal anew"
        opened={asking}
        pending={isPending}
        error={error}
        onConfirm={() => mutate({ path: 'keys/rotate' }, { onSuccess: close })}
        onClose={close}
      >
        It goes on under traffic. When an older key has sealed nothing any more, it may be taken out
        of VAULT_KEYS.
      </ConfirmDialog>
    </>
  );
}

function KeyBadge({ ringKey: { newest, in_ring: isInRing } }: { readonly ringKey: RingKey }) {
  if (!isInRing) return <StatusBadge tone="bad">is missing from the ring</StatusBadge>;
  return newest ? (
    <StatusBadge tone="good">seals</StatusBadge>
  ) : (
    <StatusBadge tone="waiting">opens what is older</StatusBadge>
  );
}

import { Button } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { StatusBadge } from '../ui/status-badge.js';
import { Quiet } from '../ui/text.js';
import { WideTable } from '../ui/wide-table.js';
import { initOf, type RingKey, type ServiceName, useOperation } from './operator-queries.js';

export interface KeyRingProps {
  readonly service: ServiceName;
  readonly keys: readonly RingKey[];
}

/** The keys of the ring, with how much each has sealed: names and numbers, never a key. */
export function KeyRing({ service, keys }: KeyRingProps) {
  const [asking, setAsking] = useState(false);
  const rotation = useOperation(service, 'keys', () =>
    call('post', '/api/ops/{service}/keys/rotate', initOf(service)),
  );
  const older = keys.filter(({ newest }) => !newest);
  const close = () => setAsking(false);
  return (
    <>
      <WideTable label="Keys" columns={['Key', 'State', 'Sealed rows']}>
        {keys.map((key) => (
          <tr key={key.key_id}>
            <th scope="row">{key.key_id}</th>
            <td>
              <KeyBadge ringKey={key} />
            </td>
            <td>{key.uses.reduce((sum, { rows }) => sum + rows, 0)}</td>
          </tr>
        ))}
      </WideTable>
      {older.length === 0 ? (
        <Quiet mt="xs">
          Everything is sealed with the newest key. To replace it, put a new one before it in
          VAULT_KEYS.
        </Quiet>
      ) : (
        <Button variant="default" size="compact-sm" mt="xs" onClick={() => setAsking(true)}>
          Reseal with the newest key
        </Button>
      )}
      <ConfirmDialog
        title="Seal everything with the newest key?"
        action="Reseal"
        opened={asking}
        mutation={rotation}
        onConfirm={() => rotation.mutate(undefined, { onSuccess: close })}
        onClose={close}
      >
        This runs under traffic. Once an older key seals nothing any more, it can be taken out of
        VAULT_KEYS.
      </ConfirmDialog>
    </>
  );
}

function KeyBadge({ ringKey: { newest, in_ring: isInRing } }: { readonly ringKey: RingKey }) {
  if (!isInRing) return <StatusBadge tone="bad">Missing from the ring</StatusBadge>;
  return newest ? (
    <StatusBadge tone="good">Seals</StatusBadge>
  ) : (
    <StatusBadge tone="waiting">Opens older data</StatusBadge>
  );
}

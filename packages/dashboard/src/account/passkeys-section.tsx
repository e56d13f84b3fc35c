import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactors } from '../api/types.js';
import { FormProblem } from '../ui/form-problem.js';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { RelativeTime } from '../ui/relative-time.js';
import { factorsQuery, removePasskey } from './factor-queries.js';
import { Item, ItemList } from './item-list.js';
import { RecoveryCodesDialog } from './recovery-codes-dialog.js';
import { Section } from './section.js';

const AddPasskeyDialog = lazyDialog(
  async () => (await import('./add-passkey-dialog.js')).AddPasskeyDialog,
);

const passkeysOf = ({ passkeys }: SecondFactors) => passkeys;

export function PasskeysSection() {
  const queries = useQueryClient();
  const passkeys = useQuery({ ...factorsQuery, select: passkeysOf });
  const [adding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const remove = useMutation({ mutationFn: (id: string) => removePasskey(queries, id) });

  return (
    <Section
      title="Passkeys"
      hint="Sign in with your fingerprint, face or security key instead of a password."
      action={
        <Button variant="default" onClick={() => setAdding(true)}>
          Add a passkey
        </Button>
      }
    >
      <FormProblem error={remove.error} fields={[]} />
      <ItemList query={passkeys} empty="No passkeys yet.">
        {({ id, name, created_at: created, last_used_at: used }) => (
          <Item
            key={id}
            title={name}
            actions={
              <Button
                variant="subtle"
                color="red"
                aria-label={`Remove the passkey ${name}`}
                loading={remove.isPending && remove.variables === id}
                onClick={() => remove.mutate(id)}
              >
                Remove
              </Button>
            }
          >
            Added <RelativeTime at={created} />, {used ? 'last used ' : 'never used'}
            {used && <RelativeTime at={used} />}
          </Item>
        )}
      </ItemList>
      <AddPasskeyDialog
        opened={adding}
        onClose={() => setAdding(false)}
        onDone={(recoveryCodes) => {
          setAdding(false);
          setCodes(recoveryCodes);
        }}
      />
      <RecoveryCodesDialog codes={codes} onDone={() => setCodes(undefined)} />
    </Section>
  );
}

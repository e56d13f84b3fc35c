import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactors } from '../api/types.js';
import { FormProblem } from '../ui/form-problem.js';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { RelativeTime } from '../ui/relative-time.js';
import { factorsQuery, newRecoveryCodes, offerTotp, removeTotp } from './factor-queries.js';
import { Item, ItemList } from './item-list.js';
import { RecoveryCodesDialog } from './recovery-codes-dialog.js';
import { Section } from './section.js';

const TotpDialog = lazyDialog(async () => (await import('./totp-dialog.js')).TotpDialog);

export function FactorsSection() {
  const queries = useQueryClient();
  const factors = useQuery({ ...factorsQuery, select: rowsOf });
  const [codes, setCodes] = useState<readonly string[]>();
  const [notice, setNotice] = useState<string>();
  const offer = useMutation({ gcTime: 0, mutationFn: offerTotp });
  const renew = useMutation({
    gcTime: 0,
    mutationFn: () => newRecoveryCodes(queries),
    onSuccess: setCodes,
  });
  const remove = useMutation({
    mutationFn: () => removeTotp(queries),
    onSuccess: () => setNotice('The authenticator app was removed.'),
  });
  const rows = factors.data;

  return (
    <Section
      title="Second factor"
      hint="Asked for after your password, and before important changes."
      notice={notice}
      onNoticeClosed={() => setNotice(undefined)}
      action={
        rows?.every(({ kind }) => kind !== 'totp') && (
          <Button variant="default" loading={offer.isPending} onClick={() => offer.mutate()}>
            Set up an authenticator app
          </Button>
        )
      }
    >
      <FormProblem error={offer.error ?? renew.error ?? remove.error} fields={[]} />
      <ItemList query={factors} empty="None. Your password alone is enough to sign in.">
        {(row) =>
          row.kind === 'totp' ? (
            <Item
              key={row.kind}
              title="Authenticator app"
              actions={
                <Button
                  variant="subtle"
                  color="red"
                  aria-label="Remove the authenticator app"
                  loading={remove.isPending}
                  onClick={() => remove.mutate()}
                >
                  Remove
                </Button>
              }
            >
              Set up <RelativeTime at={row.since} />
            </Item>
          ) : (
            <Item
              key={row.kind}
              title="Recovery codes"
              actions={
                <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
                  Create new codes
                </Button>
              }
            >
              {row.left} left
            </Item>
          )
        }
      </ItemList>
      <TotpDialog
        opened={offer.data !== undefined}
        offered={offer.data}
        onClose={offer.reset}
        onDone={(recoveryCodes) => {
          offer.reset();
          setCodes(recoveryCodes);
        }}
      />
      <RecoveryCodesDialog
        codes={codes}
        onDone={() => {
          renew.reset();
          setCodes(undefined);
        }}
      />
    </Section>
  );
}

type Row =
  | { readonly kind: 'totp'; readonly since: string }
  | { readonly kind: 'recovery'; readonly left: number };

/** Recovery codes stand in for any factor, so they are there with the first and go with the last. */
const rowsOf = ({ totp, passkeys, recovery_codes_left: left }: SecondFactors): readonly Row[] => [
  ...(totp ? [{ kind: 'totp', since: totp.created_at } as const] : []),
  ...(totp || passkeys.length > 0 ? [{ kind: 'recovery', left } as const] : []),
];

import { Button, NativeSelect, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../api/types.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { RelativeTime, useNow } from '../ui/relative-time.js';
import { revokeApiKey, rotateApiKey } from './account-queries.js';
import { OVERLAPS, scopeWords } from './api-key-words.js';
import { Item } from './item-list.js';

export interface ApiKeyItemProps {
  readonly apiKey: ApiKey;
  /** Receives the new key. */
  readonly onRotated: (key: string) => void;
  readonly onRevoked: () => void;
}

export function ApiKeyItem({ apiKey, onRotated, onRevoked }: ApiKeyItemProps) {
  const { name } = apiKey;
  const [asking, setAsking] = useState<'rotate' | 'revoke'>();
  const close = () => setAsking(undefined);

  return (
    <Item
      title={name}
      actions={
        <>
          <Button
            variant="default"
            aria-label={`Rotate ${name}`}
            onClick={() => setAsking('rotate')}
          >
            Rotate
          </Button>
          <Button
            variant="subtle"
            color="red"
            aria-label={`Revoke ${name}`}
            onClick={() => setAsking('revoke')}
          >
            Revoke
          </Button>
        </>
      }
    >
      <KeyFacts apiKey={apiKey} />
      <RotateDialog
        apiKey={apiKey}
        opened={asking === 'rotate'}
        onClose={close}
        onRotated={onRotated}
      />
      <RevokeDialog
        apiKey={apiKey}
        opened={asking === 'revoke'}
        onClose={close}
        onRevoked={onRevoked}
      />
    </Item>
  );
}

function KeyFacts({ apiKey }: { readonly apiKey: ApiKey }) {
  const { scopes, last_used_at: used, expires_at: expires, previous_valid_until: old } = apiKey;
  const now = useNow();
  const lies = (at: string) => (new Date(at) > now ? 'ahead' : 'behind');
  return (
    <>
      For {scopeWords(scopes)}. <TimeWords at={used} before="Last used" none="Never used" />{' '}
      <TimeWords
        at={expires}
        before={expires && lies(expires) === 'behind' ? 'Expired' : 'Expires'}
        none="Does not expire"
      />
      {old && lies(old) === 'ahead' && (
        <>
          {' '}
          <TimeWords at={old} before="The old key stops working" none="" />
        </>
      )}
    </>
  );
}

interface TimeWordsProps {
  readonly at: string | null;
  readonly before: string;
  readonly none: string;
}

const TimeWords = ({ at, before, none }: TimeWordsProps) => (
  <span>
    {at ? before : none}
    {at && (
      <>
        {' '}
        <RelativeTime at={at} />
      </>
    )}
    .
  </span>
);

interface DialogProps {
  readonly apiKey: ApiKey;
  readonly opened: boolean;
  readonly onClose: () => void;
}

interface RotateDialogProps extends DialogProps {
  readonly onRotated: (key: string) => void;
}

function RotateDialog({ apiKey, opened, onClose, onRotated }: RotateDialogProps) {
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState('86400');
  const { mutate, isPending, error } = useMutation({
    gcTime: 0, // the result is a secret
    mutationFn: () => rotateApiKey(queries, apiKey.id, Number(overlap)),
    onSuccess: (key) => {
      onClose();
      onRotated(key);
    },
  });
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      action="Rotate"
      opened={opened}
      pending={isPending}
      onClose={onClose}
      onSubmit={() => mutate()}
    >
      <FormProblem error={error} fields={[]} />
      <Text size="sm">You get a new key, with the same name, scopes and expiry.</Text>
      <NativeSelect
        label="Keep the old key working for"
        data={OVERLAPS}
        value={overlap}
        data-autofocus
        onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
      />
    </FormDialog>
  );
}

interface RevokeDialogProps extends DialogProps {
  readonly onRevoked: () => void;
}

function RevokeDialog({ apiKey, opened, onClose, onRevoked }: RevokeDialogProps) {
  const queries = useQueryClient();
  const revocation = useMutation({
    mutationFn: () => revokeApiKey(queries, apiKey.id),
    onSuccess: () => {
      onClose();
      onRevoked();
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.name}?`}
      action="Revoke"
      opened={opened}
      mutation={revocation}
      onConfirm={revocation.mutate}
      onClose={onClose}
    >
      <Text size="sm">
        Anything that still uses this key stops working at once. This cannot be undone.
      </Text>
    </ConfirmDialog>
  );
}

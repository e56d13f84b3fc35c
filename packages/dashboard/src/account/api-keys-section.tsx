import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { IconPlus } from '../ui/icons.js';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { SecretDialog } from '../ui/secret-dialog.js';
import { apiKeysQuery } from './account-queries.js';
import { ApiKeyItem } from './api-key-item.js';
import { ItemList } from './item-list.js';
import { Section } from './section.js';

const NewKeyDialog = lazyDialog(async () => (await import('./new-key-dialog.js')).NewKeyDialog);

export function ApiKeysSection() {
  const keys = useQuery(apiKeysQuery);
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [notice, setNotice] = useState<string>();

  return (
    <Section
      title="API keys"
      hint="For your own programs. A key can't create other keys or change your account."
      notice={notice}
      onNoticeClosed={() => setNotice(undefined)}
      action={
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
          New API key
        </Button>
      }
    >
      <ItemList query={keys} empty="No API keys yet.">
        {(apiKey) => (
          <ApiKeyItem
            key={apiKey.id}
            apiKey={apiKey}
            onRotated={setSecret}
            onRevoked={() => setNotice(`${apiKey.name} was revoked.`)}
          />
        )}
      </ItemList>
      <NewKeyDialog
        opened={creating}
        onClose={() => setCreating(false)}
        onCreated={(key) => {
          setCreating(false);
          setSecret(key);
        }}
      />
      <SecretDialog
        title="Copy the API key now"
        name="API key"
        copy="Copy API key"
        secret={secret}
        onDone={() => setSecret(undefined)}
      >
        Programs send it as <code>Authorization: Bearer</code>.
      </SecretDialog>
    </Section>
  );
}

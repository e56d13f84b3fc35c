import { Checkbox, Code, List, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.js';
import type { ResetPreview } from '../api/types.js';
import { RelativeTime } from '../ui/relative-time.js';
import classes from './mailed.module.css';
import { NewPasswordForm } from './new-password-form.js';

export interface ResetFormProps {
  readonly token: string;
  readonly preview: ResetPreview;
  readonly onDone: () => void;
}

/** Says what ends with the old password before it is replaced. */
export function ResetForm({ token, preview, onDone }: ResetFormProps) {
  const [areKeysKept, setKeysKept] = useState(false);
  const [areWebhooksKept, setWebhooksKept] = useState(false);
  return (
    <>
      {preview.begins_anew && <Text>{BEGINS_ANEW}</Text>}
      <NewPasswordForm
        label="Change password"
        hint="You will be signed out everywhere."
        send={(values) =>
          call('post', '/api/auth/reset-password', {
            body: { token, ...values, keep_api_keys: areKeysKept, keep_webhooks: areWebhooksKept },
          })
        }
        onDone={onDone}
      >
        {preview.api_keys.length > 0 && (
          <>
            <EndingKeys apiKeys={preview.api_keys} />
            <Checkbox
              label="Keep them: I know each of these keys"
              checked={areKeysKept}
              onChange={({ currentTarget }) => setKeysKept(currentTarget.checked)}
            />
          </>
        )}
        {preview.webhooks.length > 0 && (
          <>
            <EndingWebhooks webhooks={preview.webhooks} />
            <Checkbox
              label="Keep them: I know each of these webhooks"
              checked={areWebhooksKept}
              onChange={({ currentTarget }) => setWebhooksKept(currentTarget.checked)}
            />
          </>
        )}
      </NewPasswordForm>
    </>
  );
}

const BEGINS_ANEW =
  'This address was never confirmed, so the account begins anew: everything in it ends, with its sessions, API keys, webhooks and connected accounts.';

const EndingKeys = ({ apiKeys }: { readonly apiKeys: ResetPreview['api_keys'] }) => (
  <div>
    <Text size="sm">These API keys stop working:</Text>
    <List size="sm" mt="xs">
      {apiKeys.map(({ id, name, prefix, last_used_at: used }) => (
        <List.Item key={id}>
          {name},{' '}
          {used ? (
            <>
              last used <RelativeTime at={used} />
            </>
          ) : (
            'never used'
          )}
          <br />
          <Code className={classes['prefix'] ?? ''}>{prefix}</Code>
        </List.Item>
      ))}
    </List>
  </div>
);

const EndingWebhooks = ({ webhooks }: { readonly webhooks: ResetPreview['webhooks'] }) => (
  <div>
    <Text size="sm">These webhooks are disabled, until you have looked at each and enable it:</Text>
    <List size="sm" mt="xs">
      {webhooks.map(({ id, events, created_at: made, changed_at: changed }) => (
        <List.Item key={id}>
          {events.length > 0 ? events.join(', ') : 'No kind of event'}, made{' '}
          <RelativeTime at={made} />
          {changed !== made && (
            <>
              , last changed <RelativeTime at={changed} />
            </>
          )}
          <br />
          <Code className={classes['prefix'] ?? ''}>{id}</Code>
        </List.Item>
      ))}
    </List>
  </div>
);

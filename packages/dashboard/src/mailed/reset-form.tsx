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
  const [isKept, setKept] = useState(false);
  return (
    <>
      {preview.begins_anew && <Text>{BEGINS_ANEW}</Text>}
      <NewPasswordForm
        label="Change password"
        hint="You will be signed out everywhere."
        send={(values) =>
          call('POST', '/api/auth/reset-password', {
            body: { token, ...values, keep_api_keys: isKept },
          })
        }
        onDone={onDone}
      >
        {preview.api_keys.length > 0 && (
          <>
            <EndingKeys apiKeys={preview.api_keys} />
            <Checkbox
              label="Keep them: I know each of these keys"
              checked={isKept}
              onChange={({ currentTarget }) => setKept(currentTarget.checked)}
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

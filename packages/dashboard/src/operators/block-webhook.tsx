import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { Quiet } from '../ui/text.js';
import { useOperation } from './operator-queries.js';

/** Disables a webhook of any user by its id, and enables it again. */
export function BlockWebhook() {
  const [id, setId] = useState('');
  const [asking, setAsking] = useState(false);
  const change = useOperation('webhook-dispatcher', 'failing-webhooks', (enabled: boolean) =>
    call('patch', '/api/ops/webhook-dispatcher/webhooks/{webhook_id}', {
      params: { path: { webhook_id: id.trim() } },
      body: { enabled },
    }),
  );
  const { data, error, isPending } = change;
  const isEmpty = id.trim() === '';
  return (
    <Stack gap="xs">
      <Quiet>
        A webhook that you disable gets nothing, and its owner cannot enable it. Enabled again, it
        is as its owner had it.
      </Quiet>
      {!asking && <FormProblem error={error} fields={[]} />}
      <Group align="end">
        <TextInput
          label="Id of a webhook"
          flex="1 1 14rem"
          maw={352}
          autoComplete="off"
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        <Group>
          <Button variant="default" disabled={isEmpty} onClick={() => setAsking(true)}>
            Disable
          </Button>
          <Button
            variant="default"
            disabled={isEmpty}
            loading={isPending && !asking}
            onClick={() => change.mutate(true)}
          >
            Enable again
          </Button>
        </Group>
      </Group>
      <div role="status">
        {data && (
          <Text size="sm">
            <code>{data.webhook_id}</code> is {data.status}
            {data.disabled_reason && ` (${data.disabled_reason.replaceAll('_', ' ')})`}.
          </Text>
        )}
      </div>
      <ConfirmDialog
        title="Disable this webhook?"
        action="Disable"
        opened={asking}
        mutation={change}
        onConfirm={() => change.mutate(false, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        Its waiting deliveries are held, and so is what comes. Its owner reads that an operator has
        disabled it.
      </ConfirmDialog>
    </Stack>
  );
}

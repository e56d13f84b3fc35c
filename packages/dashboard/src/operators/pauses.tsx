import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { FormProblem } from '../ui/form-problem.js';
import { RelativeTime } from '../ui/relative-time.js';
import { Quiet } from '../ui/text.js';
import { WideTable } from '../ui/wide-table.js';
import { pausesQuery, useOperation } from './operator-queries.js';

const USER_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Pauses what is sent to a host or to a user, and has it go on. */
export function Pauses() {
  const [name, setName] = useState('');
  const { data, error } = useQuery(pausesQuery);
  const change = useOperation(
    'webhook-dispatcher',
    'pauses',
    ({ what, paused }: { readonly what: string; readonly paused: boolean }) =>
      call('post', '/api/ops/webhook-dispatcher/pauses', {
        body: { ...(USER_ID.test(what) ? { user_id: what } : { host: what }), paused },
      }),
  );
  const pauseNamed = () =>
    change.mutate({ what: name.trim(), paused: true }, { onSuccess: () => setName('') });
  return (
    <Stack gap="xs">
      <Quiet>
        What goes to a host or a user that you pause waits without using up attempts, and goes on in
        order. Owners read that an operator paused it.
      </Quiet>
      <FormProblem error={error ?? change.error} fields={[]} />
      <Group align="end">
        <TextInput
          label="Host or id of a user"
          flex="1 1 14rem"
          maw={352}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          variant="default"
          disabled={name.trim() === ''}
          loading={change.isPending}
          onClick={pauseNamed}
        >
          Pause
        </Button>
      </Group>
      {data && data.items.length > 0 && (
        <WideTable label="Paused hosts and users" columns={['Host or user', 'Since']} hasActions>
          {data.items.map(({ host, user_id: user, paused_at: at }) => {
            const what = host ?? user ?? '';
            return (
              <tr key={what}>
                <th scope="row" data-wraps>
                  {what}
                </th>
                <td>
                  <RelativeTime at={at} />
                </td>
                <td>
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={`Resume: ${what}`}
                    onClick={() => change.mutate({ what, paused: false })}
                  >
                    Resume
                  </Button>
                </td>
              </tr>
            );
          })}
        </WideTable>
      )}
    </Stack>
  );
}

import { Alert, Button, Group, Title } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.js';
import type { Schemas } from '../api/types.js';
import { FormProblem } from '../ui/form-problem.js';
import { RelativeTime } from '../ui/relative-time.js';
import { Quiet } from '../ui/text.js';
import { WideTable } from '../ui/wide-table.js';
import { type DeadLetter, initOf, type ServiceName, useOperation } from './operator-queries.js';

export interface DeadLettersProps {
  readonly service: ServiceName;
  readonly letters: readonly DeadLetter[];
  /** There are more than these. */
  readonly hasMore: boolean;
}

/** Records that could not be handled: why and where, never what was in them. */
export function DeadLetters({ service, letters, hasMore }: DeadLettersProps) {
  const { mutate, isPending, error, variables } = useOperation(
    service,
    'dead-letters',
    (ids: readonly string[]) =>
      call('post', '/api/ops/{service}/dead-letters/redrive', {
        ...initOf(service),
        body: { ids },
      }),
  );
  const [done, setDone] = useState<string>();
  const redrive = (ids: readonly string[]) =>
    mutate(ids, { onSuccess: ({ outcomes }) => setDone(outcomeWords(outcomes)) });
  const isRedriving = (id: string) => isPending && variables.includes(id);

  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Title order={3} size="h5">
          Dead letters
        </Title>
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending}
          onClick={() => redrive(letters.map(({ id }) => id))}
        >
          Redrive {hasMore ? 'these' : 'all'} {letters.length}
        </Button>
      </Group>
      <Quiet mb="xs">
        Records that could not be handled. Fix the cause before you redrive them.
        {hasMore && ' More are shown once these are gone.'}
      </Quiet>
      <FormProblem error={error} fields={[]} />
      <div role="status">{done && <Alert color="blue">{done}</Alert>}</div>
      <WideTable
        label="Dead letters"
        columns={['Reason', 'Topic', 'Offset', 'Since', 'Redrives']}
        hasActions
      >
        {letters.map((letter) => (
          <tr key={letter.id}>
            <th scope="row">{letter.reason}</th>
            <td>
              {letter.topic} / {letter.partition}
            </td>
            <td>{letter.offset}</td>
            <td>
              <RelativeTime at={letter.set_aside_at} />
            </td>
            <td>{letter.redrives}</td>
            <td>
              <Button
                size="compact-xs"
                variant="subtle"
                loading={isRedriving(letter.id)}
                aria-label={`Redrive: ${letter.reason} at ${letter.topic}, offset ${letter.offset}`}
                onClick={() => redrive([letter.id])}
              >
                Redrive
              </Button>
            </td>
          </tr>
        ))}
      </WideTable>
    </div>
  );
}

function outcomeWords(outcomes: Schemas['RedrivenDeadLetters']['outcomes']): string {
  const handled = outcomes.filter(({ outcome }) => outcome === 'redriven').length;
  const failed = outcomes.length - handled;
  if (failed === 0) return handled === 1 ? 'The record was handled.' : `${handled} were handled.`;
  return `${handled} were handled, ${failed} were not.`;
}

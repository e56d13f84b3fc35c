import { Button } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { StatusBadge } from '../ui/status-badge.js';
import { WideTable } from '../ui/wide-table.js';
import { type Projection, type ServiceName, useOperation } from './operator-queries.js';

export interface ReadModelsProps {
  readonly service: ServiceName;
  readonly projections: readonly Projection[];
}

/** The projections of a service, and the progress of a rebuild. */
export function ReadModels({ service, projections }: ReadModelsProps) {
  const [asked, setAsked] = useState<string>();
  const rebuild = useOperation(service, 'projections', (name: string) =>
    call('post', '/api/ops/{service}/projections/{name}/rebuild', {
      params: { path: { service, name } },
    }),
  );
  const close = () => setAsked(undefined);
  return (
    <>
      <WideTable label="Read models" columns={['Read model', 'Version', 'Rebuild']} hasActions>
        {projections.map(({ name, version, rebuild }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{version}</td>
            <td>{rebuild ? <Progress rebuild={rebuild} /> : '–'}</td>
            <td>
              {rebuild?.status !== 'running' && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  aria-label={`Rebuild ${name}`}
                  onClick={() => setAsked(name)}
                >
                  {rebuild ? 'Go on' : 'Rebuild'}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </WideTable>
      <ConfirmDialog
        title={`Rebuild ${asked ?? ''}?`}
        action="Rebuild"
        opened={asked !== undefined}
        mutation={rebuild}
        onConfirm={() => asked !== undefined && rebuild.mutate(asked, { onSuccess: close })}
        onClose={close}
      >
        Every event is read again, beside the version that answers. Nothing is interrupted; the
        database has more to do meanwhile.
      </ConfirmDialog>
    </>
  );
}

const Progress = ({ rebuild }: { readonly rebuild: NonNullable<Projection['rebuild']> }) => (
  <StatusBadge tone="waiting">
    version {rebuild.version}, {rebuild.status}, {rebuild.events_done} events
  </StatusBadge>
);

import { Button, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { StatusBadge } from '../ui/status-badge.js';
import { type Projection, type ServiceName, useOperation } from './operator-queries.js';
import classes from './operators.module.css';

export interface ReadModelsProps {
  readonly service: ServiceName;
  readonly projections: readonly Projection[];
}

/** What is made of the events, and how far a rebuild of it is. */
export function ReadModels({ service, projections }: ReadModelsProps) {
  const [asked, setAsked] = useState<string>();
  const { mutate, isPending, error, reset } = useOperation(service, 'projections');
  const close = () => {
    setAsked(undefined);
    reset();
  };
  return (
    <>
      <div className={classes['scroll']} tabIndex={0} role="region" aria-label="Read models">
        <table className={classes['table']}>
          <thead>
            <tr>
              <th scope="col">Read model</th>
              <th scope="col">Version</th>
              <th scope="col">Rebuild</th>
              <th scope="col">
                <VisuallyHidden>Action</VisuallyHidden>
              </th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
      <ConfirmDialog
        title={`Rebuild ${asked ?? ''}?`}
        action="Rebuild"
        opened={asked !== undefined}
        pending={isPending}
        error={error}
        onConfirm={() => mutate({ path: `projections/${asked}/rebuild` }, { onSuccess: close })}
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

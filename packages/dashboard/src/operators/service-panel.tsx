import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Disclosure } from '../ui/disclosure.js';
import { Facts } from '../ui/facts.js';
import { FormProblem } from '../ui/form-problem.js';
import { Panel } from '../ui/panel.js';
import { StatusBadge } from '../ui/status-badge.js';
import { PanelTitle } from '../ui/text.js';
import { AuditTable } from './audit-table.js';
import { ConsumersTable } from './consumers-table.js';
import { DeadLetters } from './dead-letters.js';
import { KeyRing } from './key-ring.js';
import {
  auditQuery,
  consumersQuery,
  deadLettersQuery,
  type Health,
  healthQuery,
  keysQuery,
  projectionsQuery,
  type ServiceName,
} from './operator-queries.js';
import { ReadModels } from './read-models.js';

/** The panel of one service: readiness, lag, dead letters, and the operations for them. */
export function ServicePanel({ service }: { readonly service: ServiceName }) {
  const health = useQuery(healthQuery(service));
  const consumers = useQuery(consumersQuery(service));
  const letters = useQuery(deadLettersQuery(service));
  const projections = useQuery(projectionsQuery(service));
  const keys = useQuery(keysQuery(service));
  const audit = useQuery(auditQuery(service));
  const all = [health, consumers, letters, projections, keys, audit];
  const error = all.find((query) => query.error)?.error;
  const id = `service-${service}`;

  return (
    <Panel aria-labelledby={id}>
      <Stack>
        <Group justify="space-between">
          <PanelTitle id={id}>{service}</PanelTitle>
          {health.data ? <HealthBadge health={health.data} /> : <Skeleton w={80} h={22} />}
        </Group>
        <FormProblem error={error} fields={[]} />
        <Facts
          facts={[
            { term: 'Consumer lag', value: lagWords(consumers.data?.items) },
            { term: 'Dead letters', value: lettersWords(letters.data) },
            { term: 'Read models', value: projections.data?.items.length ?? '…' },
            { term: 'Being rebuilt', value: rebuilt(projections.data?.items) },
            { term: 'Keys in use', value: keys.data?.items.length ?? '…' },
          ]}
        />
        {letters.data && letters.data.items.length > 0 && (
          <DeadLetters
            service={service}
            letters={letters.data.items}
            hasMore={letters.data.next_cursor !== null}
          />
        )}
        <div>
          {consumers.data && consumers.data.items.length > 0 && (
            <Disclosure summary="Consumers">
              <ConsumersTable partitions={consumers.data.items} />
            </Disclosure>
          )}
          {projections.data && (
            <Disclosure summary="Read models">
              <ReadModels service={service} projections={projections.data.items} />
            </Disclosure>
          )}
          {keys.data && (
            <Disclosure summary="Keys">
              <KeyRing service={service} keys={keys.data.items} />
            </Disclosure>
          )}
          {audit.data && (
            <Disclosure summary="Audit">
              <AuditTable accesses={audit.data.items} />
            </Disclosure>
          )}
        </div>
      </Stack>
    </Panel>
  );
}

const HealthBadge = ({ health: { ready, failing } }: { readonly health: Health }) =>
  ready ? (
    <StatusBadge tone="good">Ready</StatusBadge>
  ) : (
    <Group gap="xs">
      <Text size="sm">Failing: {failing.join(', ')}</Text>
      <StatusBadge tone="bad">Not ready</StatusBadge>
    </Group>
  );

function lagWords(partitions: readonly { readonly lag: number | null }[] | undefined): string {
  if (!partitions) return '…';
  const lags = partitions.map(({ lag }) => lag);
  if (lags.some((lag) => lag === null)) return 'Kafka does not say';
  const furthest = Math.max(0, ...lags.map((lag) => lag ?? 0));
  return furthest === 0 ? 'Up to date' : `${furthest} records`;
}

function lettersWords(
  letters: { readonly items: readonly unknown[]; readonly next_cursor: string | null } | undefined,
): string {
  if (!letters) return '…';
  const count = letters.items.length;
  if (count === 0) return 'None';
  return letters.next_cursor === null ? `${count} records` : `More than ${count} records`;
}

function rebuilt(projections: readonly { readonly rebuild: unknown }[] | undefined): string {
  if (!projections) return '…';
  const count = projections.filter(({ rebuild }) => rebuild !== null).length;
  return count === 0 ? 'None' : String(count);
}

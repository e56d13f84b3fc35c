import { StatusBadge } from '../ui/status-badge.js';
import { WideTable } from '../ui/wide-table.js';
import type { Partition } from './operator-queries.js';

/** The partitions that the service consumes from Kafka, with their offsets, those with the largest lag first. */
export const ConsumersTable = ({ partitions }: { readonly partitions: readonly Partition[] }) => (
  <WideTable label="Consumers" columns={['Consumer', 'Topic', 'State', 'Next', 'End', 'Lag']}>
    {partitions
      .toSorted((one, other) => (other.lag ?? 0) - (one.lag ?? 0))
      .map(({ consumer, topic, partition, state, reason, offset, end, lag }) => (
        <tr key={`${consumer} ${topic} ${partition}`}>
          <th scope="row">{consumer}</th>
          <td>
            {topic} / {partition}
          </td>
          <td>
            <StatusBadge tone={state === 'running' ? 'good' : 'waiting'}>
              {state.replaceAll('_', ' ')}
            </StatusBadge>{' '}
            {reason}
          </td>
          <td>{offset}</td>
          <td>{end ?? '–'}</td>
          <td>{lag ?? '–'}</td>
        </tr>
      ))}
  </WideTable>
);

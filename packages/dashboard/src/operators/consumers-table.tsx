import { StatusBadge } from '../ui/status-badge.js';
import type { Partition } from './operator-queries.js';
import classes from './operators.module.css';

/** What is read of Kafka, and how far. Those that are behind come first. */
export const ConsumersTable = ({ partitions }: { readonly partitions: readonly Partition[] }) => (
  <div className={classes['scroll']} tabIndex={0} role="region" aria-label="Consumers">
    <table className={classes['table']}>
      <thead>
        <tr>
          <th scope="col">Consumer</th>
          <th scope="col">Topic</th>
          <th scope="col">State</th>
          <th scope="col">Next</th>
          <th scope="col">End</th>
          <th scope="col">Behind</th>
        </tr>
      </thead>
      <tbody>
        {partitions
          .toSorted((one, other) => (other.lag ?? 0) - (one.lag ?? 0))
          .map(({ consumer, topic, partition, state, offset, end, lag }) => (
            <tr key={`${consumer} ${topic} ${partition}`}>
              <th scope="row">{consumer}</th>
              <td>
                {topic} / {partition}
              </td>
              <td>
                <StatusBadge tone={state === 'running' ? 'good' : 'waiting'}>
                  {state.replaceAll('_', ' ')}
                </StatusBadge>
              </td>
              <td>{offset}</td>
              <td>{end ?? '–'}</td>
              <td>{lag ?? '–'}</td>
            </tr>
          ))}
      </tbody>
    </table>
  </div>
);

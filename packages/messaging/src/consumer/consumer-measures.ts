import type { Meter } from '../meter.js';
import type { Consumer } from './consumer.js';
import type { PartitionState } from './partition.js';

const STATES: readonly PartitionState[] = ['seeking', 'running', 'backing_off', 'offset_lost'];

/** Registers the measures of the consumers of a process. Call it once for all of them. */
export function measureConsumers(
  meter: Meter,
  consumers: readonly Pick<Consumer, 'group' | 'status' | 'healthy'>[],
): void {
  meter.gauge(
    'junction_consumer_lag_records',
    'Records behind the end of the log, as last seen by the member that has the partition.',
    ['consumer', 'topic', 'partition'],
    () =>
      consumers.flatMap(({ group, status }) =>
        status().map(({ topic, partition, lag }) => ({
          value: Number(lag),
          labels: { consumer: group, topic, partition: `${partition}` },
        })),
      ),
  );
  meter.gauge(
    'junction_consumer_offset_records',
    'Place of the consumer in the log of a partition: its rate is the rate of records handled.',
    ['consumer', 'topic', 'partition'],
    () =>
      consumers.flatMap(({ group, status }) =>
        status().map(({ topic, partition, offset }) => ({
          value: Number(offset),
          labels: { consumer: group, topic, partition: `${partition}` },
        })),
      ),
  );
  meter.gauge(
    'junction_consumer_partitions',
    'Partitions of this process by state; offset_lost waits for an operator.',
    ['consumer', 'state'],
    () => consumers.flatMap(byState),
  );
  meter.gauge(
    'junction_consumer_up',
    '1 while the consumer is in its group and none of its partitions is lost or failing.',
    ['consumer'],
    () =>
      consumers.map(({ group, healthy }) => ({
        value: healthy() ? 1 : 0,
        labels: { consumer: group },
      })),
  );
}

const byState = ({ group, status }: Pick<Consumer, 'group' | 'status'>) => {
  const states = status().map(({ state }) => state);
  return STATES.map((state) => ({
    value: states.filter((each) => each === state).length,
    labels: { consumer: group, state },
  }));
};

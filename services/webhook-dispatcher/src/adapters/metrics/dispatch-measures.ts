import { type Gauge, type Meter, registerGauges } from '@junction/service/process';
import type { Dispatch, OnCircuitChange } from '../../application/sending/ports.js';

/** Gauges of this replica. */
const DISPATCH: readonly Gauge<Dispatch>[] = [
  ['junction_shards_owned', 'Shards that this replica sends for, of 48.', (one) => one.shards()],
  [
    'junction_deliveries_under_way',
    'Requests of this replica that wait for their answer, by whether their receivers are known to answer soon.',
    (one) => one.underWay(),
    'receivers',
  ],
  [
    'junction_hosts_held',
    'Hosts whose webhooks wait, in this replica, until some of them answer 2xx.',
    (one) => one.hostsHeld(),
  ],
];

/** Registers the gauges of what this replica has under way. */
export const measureDispatch = (meter: Meter, dispatch: Dispatch): void =>
  registerGauges(meter, async () => dispatch, DISPATCH);

/** Registers what counts changes of circuits and shards, and returns listeners for these changes. */
export function changeMeasures(meter: Meter) {
  const circuits = meter.counter(
    'junction_circuit_changes_total',
    'Circuits that opened, half-opened for a probe, or closed, in this replica.',
    ['to'],
  );
  const shards = meter.counter(
    'junction_shard_changes_total',
    'Shards that came to this replica or left it.',
    ['change'],
  );
  return {
    /** Returns the listener that counts a change and passes it on. */
    circuits:
      (onChange: OnCircuitChange): OnCircuitChange =>
      (webhookId, change) => {
        circuits({ to: change.to });
        onChange(webhookId, change);
      },
    shards: (change: 'gained' | 'lost', count: number) => shards({ change }, count),
  };
}

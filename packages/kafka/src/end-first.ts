import type { Cluster } from 'kafkajs';
import type Broker from 'kafkajs/src/broker/index.js';

/**
 * Makes the consumer that has this cluster for itself await `end` before it joins its group, each time, and before it
 * leaves it. Until then the group assigns its partitions to nobody else. kafkajs handles no batch at either moment, and
 * its events do not wait for anybody.
 */
export function endFirst(cluster: Cluster, end: () => Promise<void>): void {
  const findGroupCoordinator = cluster.findGroupCoordinator.bind(cluster);
  // A consumer asks for its coordinator whenever it joins, and has the same one leave the group.
  cluster.findGroupCoordinator = async (group) => {
    await end();
    const coordinator = await findGroupCoordinator(group);
    leaveAfter(end, coordinator as object as Broker);
    return coordinator;
  };
}

function leaveAfter(end: () => Promise<void>, coordinator: Broker): void {
  if (Object.hasOwn(coordinator, 'leaveGroup')) return;
  const leaveGroup = coordinator.leaveGroup.bind(coordinator);
  coordinator.leaveGroup = async (member) => {
    await end();
    return leaveGroup(member);
  };
}

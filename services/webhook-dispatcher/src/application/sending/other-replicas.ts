import type { Notifications } from './ports.js';

const TOPIC = 'dispatch';

/** Notifies the other replicas that there is work for them, and listens to the same of them, but not to itself. */
export function otherReplicas(notifications: Notifications) {
  let isNotifying = false;
  return {
    notify(): void {
      isNotifying = true;
      notifications.notify(TOPIC);
      isNotifying = false;
    },
    listen: (onNotified: () => void): (() => void) =>
      notifications.listen(TOPIC, () => {
        if (!isNotifying) onNotified();
      }),
  };
}

/** Notifications between the replicas. They are hints, since each replica also looks by itself. */
export interface Notifications {
  notify(topic: string): void;
  /** Calls back on each notification. Returns a function that ends the listening. */
  listen(topic: string, onNotified: () => void): () => void;
}

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

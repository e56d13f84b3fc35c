/** Between the replicas: hints, since each also looks by itself. */
export interface Notifications {
  notify(topic: string): void;
  /** Gives what ends the listening. */
  listen(topic: string, onNotified: () => void): () => void;
}

const TOPIC = 'dispatch';

/** Notifies the other replicas that there is something for them, and hears the same of them, but not of itself. */
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

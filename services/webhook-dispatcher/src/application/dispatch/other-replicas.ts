/** Between the replicas: hints, since each also looks by itself. */
export interface Notifications {
  notify(topic: string): void;
  /** Gives what ends the listening. */
  listen(topic: string, onNotified: () => void): () => void;
}

const TOPIC = 'dispatch';

/** Tells the other replicas that there is something for them, and hears it from them, but not from itself. */
export function otherReplicas(notifications: Notifications) {
  let isNotifying = false;
  return {
    tell(): void {
      isNotifying = true;
      notifications.notify(TOPIC);
      isNotifying = false;
    },
    listen: (onTold: () => void): (() => void) =>
      notifications.listen(TOPIC, () => {
        if (!isNotifying) onTold();
      }),
  };
}

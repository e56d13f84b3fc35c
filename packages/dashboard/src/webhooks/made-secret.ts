/** A secret that was made for a webhook that was just added. */
export interface MadeSecret {
  readonly webhookId: string;
  readonly secret: string;
}

let made: MadeSecret | undefined;

/** Hands a secret to the page that shows it. It is kept in memory alone: the history of a browser is stored. */
export function handOver(secret: MadeSecret): void {
  made = secret;
}

/** Takes the secret that was handed over; the next who asks gets none. */
export function takeSecret(): MadeSecret | undefined {
  const taken = made;
  made = undefined;
  return taken;
}

/** Deliveries that were filed on the same day. */
export interface DeliveriesOfDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** dlv_… */
  readonly deliveryIds: readonly string[];
}

/** Request of a user to redact the payloads of all deliveries from before it. */
export interface Redaction {
  readonly userId: string;
  readonly requestedAt: Date;
  /** Number of the transaction that stored the request last: a later request has another one. */
  readonly beginAfter: string;
  /** Last day (YYYY-MM-DD) of which the deliveries are listed. */
  readonly listedTo: string;
}

/** Deliveries that were filed on the same day. */
export interface DeliveriesOfDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** dlv_… */
  readonly deliveryIds: readonly string[];
}

/** Bodies of requests and answers of deliveries. */
export interface PayloadTable {
  /** Returns the delivery, its original and all repeats, which share a payload. Empty: there is no such delivery. */
  sharing(webhookId: string, deliveryId: string): Promise<readonly DeliveriesOfDay[]>;
  /** Redacts what was sent and what came back of deliveries that have ended. A repeated call does no harm. */
  redact(deliveries: DeliveriesOfDay): Promise<void>;
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

export interface RedactionTable {
  /**
   * Locks the request for this replica. Returns undefined while another replica has the request, or while a transaction
   * runs that was under way when it was made: such a transaction may still file a delivery from before the request.
   */
  claim(userId: string): Promise<Redaction | undefined>;
  /** Returns the days (YYYY-MM-DD) that have deliveries, oldest first. */
  days(): Promise<readonly string[]>;
  /**
   * Lists the deliveries of that day which are to be redacted: also those of other users whose requests have come as
   * far, since a day is read as a whole. Returns false while another replica lists.
   */
  listDay(redaction: Redaction, day: string): Promise<boolean>;
  /**
   * Lists the repeats that were made of a delivery while it still had its payload. Returns false when every repeat is
   * listed; once nothing is listed, no repeat can be made any more.
   */
  listRepeats(redaction: Redaction): Promise<boolean>;
  /** Returns the next listed deliveries whose payloads no attempt needs any more. */
  next(userId: string): Promise<readonly DeliveriesOfDay[]>;
  unlist(userId: string, deliveries: DeliveriesOfDay): Promise<void>;
  /** Ends the request, unless payloads are still listed or a newer request was stored meanwhile. */
  end(redaction: Redaction): Promise<void>;
}

/** Requests of users to redact payloads, outside a transaction. */
export interface Redactions {
  /** Has all payloads that the user has by now redacted in the background. Returns the time of the request. */
  request(userId: string): Promise<Date>;
  /** Returns the time of the user's newest request, as long as payloads are to be redacted. */
  requestedAt(userId: string): Promise<Date | undefined>;
  /** Returns some of the users with a request, those first whose turn is longest ago. */
  users(): Promise<readonly string[]>;
  /** Notes that the user has a turn. */
  beginTurn(userId: string): Promise<void>;
}

export interface UserTable {
  /** Shreds the user's key, and has the rows that it sealed deleted in the background. */
  delete(userId: string): Promise<void>;
  /** Deletes what was filed for the user on that day. Returns false while another replica does so. */
  deleteDay(userId: string, day: string): Promise<boolean>;
  /** Deletes records of the user that broke a rule: their payload may speak of the user all the same. */
  deleteDeadLetters(userId: string): Promise<void>;
}

export interface DeletedUserWithRows {
  readonly userId: string;
  /** No attempt that was under way when the user was deleted can write its result any more. */
  readonly isLast: boolean;
}

/** Rows of deleted users, outside a transaction. */
export interface DeletedUserRows {
  /** Returns some of the users whose rows are to be deleted, those first who were deleted first. */
  users(): Promise<readonly DeletedUserWithRows[]>;
  /** Returns the days (YYYY-MM-DD) that have deliveries, oldest first. */
  days(): Promise<readonly string[]>;
  /** Deletes the user's rows in tables that have no days. */
  deleteRest(userId: string): Promise<void>;
  /** Notes that all rows of the user are deleted. */
  end(userId: string): Promise<void>;
}

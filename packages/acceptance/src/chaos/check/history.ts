/** An event that a writer requests. */
export interface PlannedEvent {
  readonly eventId: string;
  readonly streamId: string;
}

/** A writer's request: events that are appended together, under one command id. */
export interface Asked {
  /** `<writer>/<turn>/<place in the turn>`; stands in the data of each of its events. */
  readonly request: string;
  readonly commandId: string;
  readonly events: readonly PlannedEvent[];
}

/** The store's answer to a writer. The events must be in the store from then on. */
export interface Acknowledged {
  readonly request: string;
  readonly commandId: string;
  /** The store says that it had the command already. */
  readonly repeated: boolean;
  readonly events: readonly (PlannedEvent & { readonly version: number })[];
}

/** An event as the store has it. */
export interface Stored extends PlannedEvent {
  readonly version: number;
  readonly request: string;
  /** Position of the event in its request, from 0. */
  readonly place: number;
  readonly amount: number;
}

/** A record as Kafka has it. */
export interface Published {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly eventId: string;
  /** ce_sequence; absent on a topic without one. */
  readonly sequence: number | undefined;
}

/** A record that a consumer handled, in the order of the handling. */
export interface Effect extends Omit<Published, 'sequence'> {
  readonly consumer: string;
  /** Which process, with its number. */
  readonly by: string;
  /** False: the handler itself had seen the event before. Only on a topic without ce_sequence. */
  readonly fresh: boolean;
}

/** A move of a stored offset, in the order of the moves. */
export interface OffsetMove {
  readonly consumer: string;
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  /** True when the offset counts in another topic from then on. */
  readonly isAnew: boolean;
  /** The name of who moved it. */
  readonly by: string;
}

/** A row of a read model. */
export interface Row {
  readonly id: string;
  readonly count: number;
  readonly sum: number;
  readonly version: number;
  /** Depends on every event and on their order. */
  readonly digest: string;
}

/** A table that a projection keeps, and the streams it shows. */
export interface ReadModel {
  readonly table: string;
  /** Undefined: of every aggregate. */
  readonly aggregate: string | undefined;
  readonly rows: readonly Row[];
}

/** A consumer and its topic. */
export interface Reader {
  readonly consumer: string;
  readonly topic: string;
  /** Records carry ce_sequence, and the consumer drops duplicates by it. */
  readonly sequenced: boolean;
  /** Begins with records before they are handled. */
  readonly isAhead: boolean;
  /** The topic is made anew during the run: what was in it before may be lost, and the last one's records count. */
  readonly isRemade?: boolean;
}

/** The facts about a run that are known once everything has come to rest. */
export interface History {
  readonly asked: readonly Asked[];
  readonly acknowledged: readonly Acknowledged[];
  /** Stored events in reading order. */
  readonly stored: readonly Stored[];
  /** Records in the order of their offsets, by partition. */
  readonly published: readonly Published[];
  readonly effects: readonly Effect[];
  readonly offsetMoves: readonly OffsetMove[];
  readonly readers: readonly Reader[];
  readonly readModels: readonly ReadModel[];
  /** Descriptions of things that must not exist at all, such as a dead letter or a process that ended by itself. */
  readonly leftovers: readonly string[];
}

/** A promise that was not kept. */
export interface Violation {
  readonly promise: string;
  /** Which event, key, versions and processes. */
  readonly found: string;
}

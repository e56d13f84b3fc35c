import type { KindDefinition } from '../../domain/event-types/additions.js';

/** A kind or a wildcard that webhooks have chosen. */
export interface NamedChoice {
  readonly choice: string;
  /** Number of webhooks that name it. */
  readonly webhooks: number;
  /** Some of them (wh_…). */
  readonly some: readonly string[];
}

/** The platform's kinds as they were accepted, within a transaction that no other start enters meanwhile. */
export interface KindHistory {
  /** Returns the definitions of each kind, the oldest first. */
  definitions(): Promise<ReadonlyMap<string, readonly KindDefinition[]>>;
  /** Files a definition as this version of the kind. */
  add(kind: string, version: number, definition: KindDefinition): Promise<void>;
  /** Returns which of these choices webhooks name. */
  named(choices: readonly string[]): Promise<readonly NamedChoice[]>;
}

import type { CamelCased } from '@junction/contracts';
import type { Client } from '../../domain/connection/events.js';
import type { ConnectionRow } from '../../projections/connection-row.js';

/** Row of a connection as it is now: as its events left it, with the changes of the latest refresh. */
export interface SelectedConnection extends ConnectionRow {
  readonly last_refreshed_at: Date | null;
  /** Whether the connection serves when its kind alone is named. */
  readonly is_primary: boolean;
}

export type ConnectionRecord = CamelCased<SelectedConnection>;

/** Account that identifies a connection. */
export interface ConnectedAccount extends Client {
  readonly userId: string;
  /** Account as the provider names it: its `sub`. */
  readonly accountId: string;
}

import type { AccountTable, MailedTokenTable, PasswordTable } from './account/ports.js';
import type { ApiKeyTable } from './api-key/ports.js';
import type { ClientSecretTable } from './client/ports.js';
import type { ReceiptTable } from './deletion/ports.js';
import type { Commands } from './handle-commands.js';
import type { MailTable } from './mail/ports.js';
import type { PortalTable } from './portal/ports.js';
import type {
  FactorTable,
  PasskeyTable,
  PendingLoginTable,
  RecoveryCodeTable,
  TotpTable,
} from './second-factor/ports.js';
import type { RefreshTokenTable, SessionProofTable, SessionTable } from './session/ports.js';
import type { SigningKeyTable } from './signing-key/ports.js';
import type { TroubleTable } from './trouble/ports.js';
import type { AccountChangeTable } from './undo/ports.js';
import type { KnownWebhookTable } from './webhook/ports.js';

/** Transactions in which commands are issued and tables are written. */
export interface UnitOfWork {
  /**
   * Runs `work` in one transaction, after all earlier work with the same key in this process: the user's id for a
   * change of an account. AppError `too_busy` when too many wait.
   */
  inTurn<T>(key: string, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction. `work` is repeated after a deadlock, and when a stream that it ends has moved, so
   * it has no effect but through its transaction. AppError `stream_contended` when streams keep moving.
   */
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Commands and tables within one transaction. */
export interface Transaction extends Tables, Commands {}

export interface Tables {
  readonly accounts: AccountTable;
  readonly passwords: PasswordTable;
  readonly mailedTokens: MailedTokenTable;
  readonly pendingLogins: PendingLoginTable;
  readonly factors: FactorTable;
  readonly totp: TotpTable;
  readonly passkeys: PasskeyTable;
  readonly recoveryCodes: RecoveryCodeTable;
  readonly sessions: SessionTable;
  readonly sessionProofs: SessionProofTable;
  readonly refreshTokens: RefreshTokenTable;
  readonly apiKeys: ApiKeyTable;
  readonly clientSecrets: ClientSecretTable;
  readonly signingKeys: SigningKeyTable;
  readonly mails: MailTable;
  readonly troubles: TroubleTable;
  readonly accountChanges: AccountChangeTable;
  readonly receipts: ReceiptTable;
  readonly portals: PortalTable;
  readonly knownWebhooks: KnownWebhookTable;
}

import type { QueuedMail } from './ports.js';

export type Recipient = Pick<QueuedMail, 'address' | 'userId'>;
export type UnsentMail = Omit<QueuedMail, 'mailId' | 'createdAt'>;

/** Mails to be sent. */
export interface MailTable {
  /** Whether mails can be sent at all. */
  readonly isOpen: boolean;
  /** Counts one more mail under this name. Returns false, and counts nothing, when the recipient may not get it. */
  admit(recipient: Recipient, counted: string): Promise<boolean>;
  /** Forgets how many mails of these names there were. */
  readmit(recipient: Recipient, counted: readonly string[]): Promise<void>;
  add(mail: UnsentMail, at: Date): Promise<void>;
  /** Deletes the mails of a kind that wait to be sent to the user. */
  delete(userId: string, kind: QueuedMail['kind']): Promise<void>;
}

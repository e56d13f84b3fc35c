import type { NoticeKind } from '../notices.js';

/** The purpose of a link in a mail that somebody asked for. */
export type MailedPurpose = 'verify_email' | 'change_email' | 'reset_password';

/** The subject of a mail. */
export type MailKind = MailedPurpose | NoticeKind | 'troubles';

/** A mail that somebody asks for. */
export interface NewMail {
  readonly kind: MailedPurpose;
  readonly address: string;
  /** Absent: whoever has this address, if anybody has. */
  readonly userId?: string;
  /** Address of the network client that asks. */
  readonly ip: string;
}

export interface QueuedMail extends Omit<NewMail, 'kind' | 'ip'> {
  readonly kind: MailKind;
  readonly mailId: string;
  readonly createdAt: Date;
  /** The change that its link takes back. */
  readonly changeId?: string;
}

/** Mails that are still to be sent. */
export interface MailQueue {
  /** Whether mails can be sent at all. */
  readonly isOpen: boolean;
  /** Some that are due; nobody else is given them for a minute. */
  claim(now: Date): Promise<readonly QueuedMail[]>;
  /** Tries this one again at that moment. */
  postpone(mailId: string, until: Date): Promise<void>;
  remove(mailId: string): Promise<void>;
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where a mail program may have such mails stopped with one click (RFC 8058). */
  readonly unsubscribeUrl?: string;
}

export interface Mailer {
  /** Hands a mail to the SMTP server. The id becomes the Message-ID, so that one sent twice is known. */
  send(mail: MailText & { readonly mailId: string; readonly address: string }): Promise<void>;
}

/** The person who gets a mail, with the client that asks for it: absent for mails that nobody asks for. */
export type Recipient = Pick<NewMail, 'address' | 'userId'> & Partial<Pick<NewMail, 'ip'>>;
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

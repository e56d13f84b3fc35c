import type { NoticeKind } from '../notices.js';

/** The purpose of a link in a mail that somebody asked for. */
export type MailedPurpose = 'verify_email' | 'change_email' | 'reset_password';

/** The subject of a mail. */
export type MailKind = MailedPurpose | NoticeKind | 'troubles';

/** The person who gets a mail. */
export interface Recipient {
  readonly address: string;
  /** Absent when the mail is for the user who has this address, if there is one. */
  readonly userId?: string;
}

/** A mail that somebody asks for. */
export interface NewMail extends Recipient {
  readonly kind: MailedPurpose;
  /** Address of the network client that asks. */
  readonly ip: string;
  /** Whether the browser that asks was signed in as the owner of the address. */
  readonly isKnown?: boolean;
}

export interface QueuedMail extends Recipient {
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

export type UnsentMail = Omit<QueuedMail, 'mailId' | 'createdAt'>;

/** Mails to be sent. */
export interface MailTable {
  /** Whether mails can be sent at all. */
  readonly isOpen: boolean;
  /**
   * Counts one more mail that nobody asks for under this name. Returns false, and counts nothing, when the recipient
   * may not get it.
   */
  admit(recipient: Recipient, counted: string): Promise<boolean>;
  /** The same for a mail that somebody asks for, which counts for who asks and the address together. */
  admitAsked(mail: NewMail): Promise<boolean>;
  /** Forgets how many mails of these names there were. */
  readmit(recipient: Recipient, counted: readonly string[]): Promise<void>;
  add(mail: UnsentMail, at: Date): Promise<void>;
  /** Deletes the mails of a kind that wait to be sent to the user. */
  delete(userId: string, kind: QueuedMail['kind']): Promise<void>;
}

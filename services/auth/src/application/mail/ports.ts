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

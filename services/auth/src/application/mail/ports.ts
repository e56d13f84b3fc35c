/** What a link in a mail is for. */
export type MailedPurpose = 'verify_email' | 'change_email' | 'reset_password';

/** What a mail is about. */
export type MailKind = MailedPurpose | 'email_changed' | 'password_changed';

export interface NewMail {
  readonly kind: MailKind;
  readonly address: string;
  /** Absent: whoever has this address, if anybody has. */
  readonly userId?: string;
}

export interface QueuedMail extends NewMail {
  readonly mailId: string;
  readonly createdAt: Date;
}

/** Mails that are still to be sent. */
export interface MailQueue {
  /** Whether mails can be sent at all. */
  readonly isOpen: boolean;
  /** The same work whoever has the address. */
  add(mail: NewMail, at: Date): Promise<void>;
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
}

export interface Mailer {
  /** Hands a mail to the SMTP server. The id becomes the Message-ID, so that one sent twice is known. */
  send(mail: MailText & { readonly mailId: string; readonly address: string }): Promise<void>;
}

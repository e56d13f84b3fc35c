import { AppError } from '@junction/errors';
import type { Check } from '@junction/operations';
import { createTransport } from 'nodemailer';
import type { Mailer } from '../../application/mail/ports.js';

const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;
/** From here on SMTP says that trying again is no use (RFC 5321, section 4.2.1). */
const PERMANENT = 500;

export interface MailerOptions {
  /** smtp://user:password@host:587, or smtps://… on 465. */
  readonly smtpUrl: string;
  /** An address, or a name with one: `Junction <no-reply@example.com>`. */
  readonly from: string;
  /** Without STARTTLS no mail is sent by smtp://. Always, except in development. */
  readonly requireTls: boolean;
  /** Called with host and port of the server when it has taken a mail, and when it was asked to. */
  readonly answered?: (server: string, askedMs: number) => void;
}

/**
 * Sends mails by SMTP (RFC 5321). AppError `mail_refused` when the server never takes this mail,
 * `mail_server_unavailable` when the server does not take it now. The error has the codes of the server's answer and
 * not its words: those quote the address.
 */
export function smtpMailer(options: MailerOptions): Mailer & { readonly close: () => void } {
  const { from, answered } = options;
  const { host } = new URL(options.smtpUrl);
  const transport = transportOf(options);
  const domain = /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost';
  return {
    async send({ mailId, address, unsubscribeUrl, ...mail }) {
      const messageId = `<${mailId}@${domain}>`;
      const headers = unsubscribeUrl === undefined ? {} : oneClick(unsubscribeUrl);
      const askedMs = performance.now();
      try {
        await transport.sendMail({ to: address, ...mail, messageId, headers });
      } catch (error) {
        throw Object.assign(notTaken(error), { server: host });
      }
      answered?.(host, askedMs);
    },
    close: () => transport.close(),
  };
}

/** The headers of RFC 8058, section 3.1. */
const oneClick = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

/** Checks that the mail server takes our login, if auth is to send mail. */
export const mailServer = (options: MailerOptions | undefined): Check => ({
  name: 'mail',
  remedy:
    'Check host, port, user and password in SMTP_URL, and that the server offers STARTTLS or is asked by smtps://.',
  async look() {
    if (options === undefined)
      return 'SMTP_URL is not set: no mail is sent, and no password is reset.';
    await verifyMailServer(options);
    return 'The mail server takes our login.';
  },
});

/** Connects and logs in, and sends nothing. Rejects with what keeps it from that. */
async function verifyMailServer(options: MailerOptions): Promise<void> {
  const transport = transportOf(options);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function transportOf({ smtpUrl, from, requireTls }: MailerOptions) {
  const timeouts = { connectionTimeout: CONNECT_MS, socketTimeout: ANSWER_MS };
  return createTransport({ url: smtpUrl, requireTLS: requireTls, ...timeouts }, { from });
}

function notTaken(error: unknown): AppError {
  const { code = 'unknown', responseCode = 0 } = error as { code?: string; responseCode?: number };
  const message = `The mail server did not take a mail (${code}, ${responseCode}).`;
  const isRefused = code === 'EENVELOPE' && responseCode >= PERMANENT;
  return isRefused
    ? new AppError('mail_refused', message)
    : new AppError('mail_server_unavailable', message);
}

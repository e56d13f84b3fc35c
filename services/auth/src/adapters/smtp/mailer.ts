import { AppError } from '@junction/errors';
import { createTransport } from 'nodemailer';
import type { Mailer } from '../../application/mail/ports.js';

const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;

export interface MailerOptions {
  /** smtp://user:password@host:587, or smtps://… on 465. */
  readonly smtpUrl: string;
  /** An address, or a name with one: `Junction <no-reply@example.com>`. */
  readonly from: string;
}

/**
 * Mails by SMTP (RFC 5321). AppError `mail_server_unavailable` when the server does not take one. It has the codes
 * of the server's answer and not its words: those quote the address.
 */
export function smtpMailer({
  smtpUrl,
  from,
}: MailerOptions): Mailer & { readonly close: () => void } {
  const timeouts = { connectionTimeout: CONNECT_MS, socketTimeout: ANSWER_MS };
  const transport = createTransport({ url: smtpUrl, ...timeouts }, { from });
  const domain = /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost';
  return {
    async send({ mailId, address, subject, text, html }) {
      const messageId = `<${mailId}@${domain}>`;
      try {
        await transport.sendMail({ to: address, subject, text, html, messageId });
      } catch (error) {
        throw notTaken(error);
      }
    },
    close: () => transport.close(),
  };
}

function notTaken(error: unknown): AppError {
  const { code = 'unknown', responseCode = 0 } = error as { code?: string; responseCode?: number };
  const message = `The mail server did not take a mail (${code}, ${responseCode}).`;
  return new AppError('unavailable', 'mail_server_unavailable', message);
}

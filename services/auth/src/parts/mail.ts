import { remembered } from '@junction/async';
import type { Check } from '@junction/service';
import { mailBacklog } from '../adapters/postgres/mail/mail-queue.js';
import { smtpMailer, verifyMailServer } from '../adapters/smtp/mailer.js';
import type { Mailer } from '../application/mail/ports.js';
import { sendMails } from '../application/mail/send-mails.js';
import type { Ports } from '../application/ports.js';
import type { Config } from '../config.js';
import type { AuthPlatform } from './platform.js';

/** Topic of notifications that a mail was queued. */
export const MAILS = 'mails';
const MAIL_EVERY_MS = 5_000;
const FRESH_MS = 1_000;

/**
 * Measures mails, and starts sending them; any replica may send a mail. Without an SMTP server there is nothing to
 * send.
 */
export function startMail(platform: AuthPlatform, ports: Ports): void {
  const { config, closing, job, log, meter, notifier, pool } = platform;
  const { mail, publicUrl } = config;
  const backlog = remembered(FRESH_MS, async () => mailBacklog(pool));
  meter.gauge('junction_mails_pending', 'Mails that are still to be sent.', [], async () => [
    { value: (await backlog()).count },
  ]);
  meter.gauge(
    'junction_mail_oldest_age_seconds',
    'How long the oldest mail has been waiting; it is given up after a day.',
    [],
    async () => [{ value: (await backlog()).oldestS }],
  );
  const count = meter.counter(
    'junction_mails_total',
    'Mails that the SMTP server took (sent), and tries that failed.',
    ['outcome'],
  );
  if (mail === undefined) return;
  const smtp = closing.add('smtp', smtpMailer(mail), (opened) => opened.close());
  const onFailed = (err: unknown) => log.warn({ err }, 'a mail was not sent, and is tried again');
  const send = sendMails(ports, { mailer: counted(smtp, count), publicUrl, onFailed });
  notifier.listen(MAILS, job('mails', MAIL_EVERY_MS, send).wake);
}

const counted = (
  mailer: Mailer,
  count: (labels: { readonly outcome: 'sent' | 'failed' }) => void,
): Mailer => ({
  async send(mail) {
    await mailer.send(mail).catch((error: unknown) => {
      count({ outcome: 'failed' });
      throw error;
    });
    count({ outcome: 'sent' });
  },
});

/** The needs of auth beside those of the platform: a mail server, if auth is to send mail. */
export const doctorChecks = ({ mail }: Config): readonly Check[] => [
  {
    name: 'mail',
    remedy:
      'Check host, port, user and password in SMTP_URL, and that the server offers STARTTLS or is asked by smtps://.',
    async look() {
      if (mail === undefined)
        return 'SMTP_URL is not set: no mail is sent, and no password is reset.';
      await verifyMailServer(mail);
      return 'The mail server takes our login.';
    },
  },
];

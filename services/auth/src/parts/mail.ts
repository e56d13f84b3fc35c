import { measureMails } from '../adapters/metrics/mail-measures.js';
import { smtpMailer } from '../adapters/smtp/mailer.js';
import { sendMails } from '../application/mail/send-mails.js';
import type { Ports } from '../application/ports.js';
import { queueTroubleMails } from '../application/trouble/queue-trouble-mails.js';
import type { AuthPlatform } from './platform.js';

/** Topic of notifications that a mail was queued. */
export const MAILS = 'mails';

const SECOND_MS = 1_000;

/**
 * Starts sending mails; any replica may send a mail. Without an SMTP server there is nothing to send. Returns a
 * listener for troubles that came up.
 */
export function startMail(platform: AuthPlatform, ports: Ports): () => void {
  const { config, closing, job, log, meter, notifier, pool } = platform;
  const { mail, publicUrl } = config;
  const counted = measureMails(meter, pool);
  if (mail === undefined) return () => {};
  const smtp = closing.add('smtp', smtpMailer({ ...mail, answered: log.answered }), (opened) =>
    opened.close(),
  );
  const onFailed = (err: unknown) => log.warn({ err }, 'a mail was not sent, and is tried again');
  const send = sendMails(ports, { mailer: counted(smtp), publicUrl, onFailed });
  notifier.listen(MAILS, job('mails', 5 * SECOND_MS, send).wake);
  return job('mails about troubles', 60 * SECOND_MS, queueTroubleMails(ports)).wake;
}

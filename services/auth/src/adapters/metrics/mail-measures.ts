import { remembered } from '@junction/async';
import { type Meter, registerGauges } from '@junction/service/process';
import type pg from 'pg';
import type { Mailer } from '../../application/mail/ports.js';
import { mailBacklog } from '../postgres/mail/mail-queue.js';

const FRESH_MS = 1_000;

/** Registers the gauges of mails that wait, and returns what counts the mails that a mailer sends. */
export function measureMails(meter: Meter, pool: pg.Pool): (mailer: Mailer) => Mailer {
  const backlog = remembered(FRESH_MS, async () => mailBacklog(pool));
  registerGauges(meter, backlog, [
    ['junction_mails_pending', 'Mails that are still to be sent.', ({ count }) => count],
    [
      'junction_mail_oldest_age_seconds',
      'Time for which the oldest mail has waited; it is given up after a day.',
      ({ oldestS }) => oldestS,
    ],
  ]);
  const count = meter.counter(
    'junction_mails_total',
    'Mails that the SMTP server took (sent), and tries that failed.',
    ['outcome'],
  );
  return (mailer) => ({
    async send(mail) {
      await mailer.send(mail).catch((error: unknown) => {
        count({ outcome: 'failed' });
        throw error;
      });
      count({ outcome: 'sent' });
    },
  });
}

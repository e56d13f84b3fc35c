import { remembered } from '@junction/async';
import { measureKeyAge } from '@junction/service';
import type { Meter } from '@junction/service/process';
import type pg from 'pg';
import type { Mailer } from '../application/mail/ports.js';

const FRESH_MS = 1_000;

/** Registers how old the key is that signs tokens, and what becomes of mails. Gives what counts those of a mailer. */
export function measureAuth(meter: Meter, pool: pg.Pool): (mailer: Mailer) => Mailer {
  measureKeyAge(meter, 'tokens', async () => {
    const { rows } = await pool.query<{ since: Date | null }>(
      'select max(signs_from) as since from signing_keys where signs_from <= now()',
    );
    return rows[0]?.since ?? undefined;
  });
  measureBacklog(meter, pool);

  const count = meter.counter(
    'junction_mails_total',
    'Mails that the SMTP server took (sent), and tries that failed.',
    ['outcome'],
  );
  return (mailer) => ({
    async send(mail) {
      try {
        await mailer.send(mail);
      } catch (error) {
        count({ outcome: 'failed' });
        throw error;
      }
      count({ outcome: 'sent' });
    },
  });
}

function measureBacklog(meter: Meter, pool: pg.Pool): void {
  const backlog = remembered(FRESH_MS, async () => {
    const { rows } = await pool.query<{ n: number; oldest_s: number }>(
      `select count(*)::int as n,
              coalesce(greatest(0, extract(epoch from now() - min(created_at))), 0)::float8 as oldest_s
         from mails`,
    );
    return rows[0] ?? { n: 0, oldest_s: 0 };
  });
  meter.gauge('junction_mails_pending', 'Mails that are still to be sent.', [], async () => [
    { value: (await backlog()).n },
  ]);
  meter.gauge(
    'junction_mail_oldest_age_seconds',
    'How long the oldest mail has been waiting; it is given up after a day.',
    [],
    async () => [{ value: (await backlog()).oldest_s }],
  );
}

import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';

export const postgresIssuerAnswers = (pool: pg.Pool) => ({
  /** Keeps that an issuer answered then; where it did not, only that it was asked, if that is the first time. */
  async save(issuerId: string, at: Date, hasAnswered: boolean) {
    await saveAnswer(pool, { issuer_id: issuerId, at, has_answered: hasAnswered });
  },
});

const saveAnswer = statement(`
insert into issuer_answers (issuer_id, answered_at) values (:issuer_id, :at)
on conflict (issuer_id) do update
   set answered_at = greatest(issuer_answers.answered_at, excluded.answered_at)
 where :has_answered`);

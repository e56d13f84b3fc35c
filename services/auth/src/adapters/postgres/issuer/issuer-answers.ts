import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { IssuerAnswers } from '../../../application/issuer/ports.js';

export const postgresIssuerAnswers = (pool: pg.Pool): IssuerAnswers => ({
  async save(issuerId, at, hasAnswered) {
    await saveAnswer(pool, { issuer_id: issuerId, at, has_answered: hasAnswered });
  },
});

const saveAnswer = statement(`
insert into issuer_answers (issuer_id, answered_at) values (:issuer_id, :at)
on conflict (issuer_id) do update
   set answered_at = greatest(issuer_answers.answered_at, excluded.answered_at)
 where :has_answered`);

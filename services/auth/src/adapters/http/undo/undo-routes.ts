import { mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';
import * as answers from '../answers.js';
import { mailed, newPassword } from '../credentials-schema.js';
import { visitorOf } from '../visitor.js';

const undo = mailed.extend({ new_password: newPassword });

/** Open to everybody: the token of the mail about a change is the proof itself. */
export function undoRoutes(app: Application): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'previewUndo',
      method: 'post',
      path: '/api/auth/undo-changes/preview',
      summary: 'List the changes of an account that the link of a mail takes back',
      about: 'The change that the mail is about, and those since: at most 100, the oldest first.',
      body: mailed,
      example: { token: 'jn_mt_0198c0de01237abc' },
      answer: answers.undoPreview,
      problems: ['invalid_or_used_token', 'too_many_attempts'],
    },
    async ({ req, res, body }) => {
      const preview = await app.previewUndo(body().token, visitorOf(req, res));
      const changes = preview.changes.map(({ kind, changedAt }) => ({
        kind,
        changed_at: changedAt,
      }));
      const { openUntil, mayEndAtOnce } = preview;
      if (openUntil === null) return { changes };
      return { changes, open_until: openUntil, may_end_at_once: mayEndAtOnce };
    },
  );

  mount(
    router,
    {
      id: 'undoChanges',
      method: 'post',
      path: '/api/auth/undo-changes',
      summary: 'Take back a change of an account, and those since, by the token that came by mail',
      about:
        'For 72 hours; a deletion, and what was changed before it, until the account ends. Factors and the address are those of before, API keys made or rotated since are revoked, webhooks made or changed since are disabled, every session and portal ends, and the password is the new one. Without a way back: recovery codes made since are deleted and those before do not return, and a revoked key stays revoked. `email_taken`: another account has got the address before, and nothing was taken back.',
      body: undo,
      example: { token: 'jn_mt_0198c0de01237abc', new_password: 'a battery that staples horses' },
      status: 204,
      problems: ['invalid_or_used_token', 'email_taken', 'too_many_attempts', 'too_busy'],
    },
    async ({ req, res, body }) => {
      const { token, new_password } = body();
      await app.undoChanges(token, new_password, visitorOf(req, res));
    },
  );

  addEnd(router, app);
  return router;
}

function addEnd(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'endAccount',
      method: 'post',
      path: '/api/auth/undo-changes/end-account',
      summary:
        'Delete at once an account that could be brought back, by the token that came by mail',
      about:
        'The mail is one to the address that the account had before its address was changed; `may_end_at_once` of the preview says so.',
      body: mailed,
      example: { token: 'jn_mt_0198c0de01237abc' },
      answer: answers.endedAccount,
      problems: ['invalid_or_used_token', 'too_many_attempts'],
    },
    async ({ req, res, body }) => {
      const { receiptId, deletedAt } = await app.endAccount(body().token, visitorOf(req, res));
      return { receipt_id: receiptId, deleted_at: deletedAt };
    },
  );
}

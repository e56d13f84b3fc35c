import { SERVICES } from '@junction/contracts';
import { recentFactor } from '@junction/service/callers';
import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import type { Counts } from '../../../application/deletion/ports.js';
import * as answers from '../answers.js';
import { knownPassword } from '../credentials-schema.js';
import { userOf } from '../session-of.js';
import { visitorOf } from '../visitor.js';

const deletion = z.strictObject({ password: knownPassword.optional() });

/** Open to everybody who has the id of a receipt. */
export function receiptRoutes(app: Application): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'getDeletionReceipt',
      method: 'get',
      path: '/api/auth/deletion-receipts/:id',
      summary: 'Ask how far the deletion of an account has come',
      about:
        'The receipt names nobody. `complete` turns true once every service has said what it erased.',
      answer: answers.receipt,
      problems: ['receipt_not_found'],
    },
    async ({ req }) => {
      const { deletedAt, openUntil, ended, services } = await app.deletionReceipt(req.params.id);
      return {
        deleted_at: deletedAt,
        ...(openUntil && { open_until: openUntil, ended: byService(ended) }),
        services: byService(services),
        complete: SERVICES.every((name) => services[name] !== undefined),
      };
    },
  );
  return router;
}

const byService = (counts: Readonly<Record<string, Counts>>) =>
  Object.fromEntries(SERVICES.map((name) => [name, counts[name] ?? null]));

/** The end of an account. */
export function deletionRoutes(app: Application): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'deleteAccount',
      method: 'delete',
      path: '/api/auth/me',
      summary: 'Delete the account and everything that belongs to it',
      about:
        'Sessions, API keys, webhooks and connections end at once. Where the address is verified, links that are mailed to it, and to each address that a link can still bring back, bring the account back until `open_until`, and everything else ends then; otherwise it ends at once too.',
      through: [recentFactor],
      body: deletion,
      example: { password: 'a horse that staples batteries' },
      answer: answers.deleted,
      problems: ['session_required', 'password_required', 'invalid_password', 'too_many_attempts'],
    },
    async ({ req, res, body }) => {
      const caller = { userId: userOf(res), sessionId: callerOf(res).sessionId };
      const { password } = body();
      const receipt = await app.deleteMe(caller, { password, visitor: visitorOf(req, res) });
      return {
        receipt_id: receipt.receiptId,
        deleted_at: receipt.deletedAt,
        ...(receipt.openUntil && { open_until: receipt.openUntil }),
        erased: receipt.services['auth'] ?? receipt.ended['auth'],
      };
    },
  );
  return router;
}

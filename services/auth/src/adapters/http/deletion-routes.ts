import { recentFactor } from '@junction/service-kit/callers';
import { parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import { DELETING_SERVICES } from '../../application/deletion/ports.js';
import { knownPassword } from './credentials-schema.js';
import { userOf } from './session-of.js';
import { visitorOf } from './visitor.js';

const deletion = z.strictObject({ password: knownPassword.optional() });

/** Open to everybody who has the id of a receipt. */
export function receiptRoutes(app: Application): Router {
  const router = Router();

  router.get('/api/auth/deletion-receipts/:id', async (req, res) => {
    const { deletedAt, services } = await app.deletionReceipt(req.params.id);
    res.json({
      deleted_at: deletedAt.toISOString(),
      services: Object.fromEntries(DELETING_SERVICES.map((name) => [name, services[name] ?? null])),
      complete: DELETING_SERVICES.every((name) => services[name] !== undefined),
    });
  });

  return router;
}

export function deletionRoutes(app: Application): Router {
  const router = Router();

  router.delete('/api/auth/me', recentFactor, async (req, res) => {
    const userId = userOf(res);
    const { password } = parse(deletion, req.body ?? {});
    const receipt = await app.deleteMe(userId, { password, visitor: visitorOf(req, res) });
    res.json({
      receipt_id: receipt.receiptId,
      deleted_at: receipt.deletedAt.toISOString(),
      erased: receipt.services['auth'],
    });
  });

  return router;
}

import { callerOf, showRateLimit } from '@junction/service/http';
import type { Response } from 'express';
import type { Application } from '../../application/application.js';

/** Sends what a request asks for, and shows in the answer how many bytes are left, also when they are too few. */
export async function spending<Sent>(
  app: Pick<Application, 'budgetOf'>,
  res: Response,
  send: () => Promise<Sent>,
): Promise<Sent> {
  try {
    return await send();
  } finally {
    for (const state of app.budgetOf(callerOf(res).userId)) {
      showRateLimit(res, { ...state, unit: 'content-bytes' });
    }
  }
}

import { clientOf } from '@junction/service/callers';
import { findCaller, findClient } from '@junction/service/http';
import type { Response } from 'express';
import type { Actor } from './journal.js';

/** Returns the operator who makes a request. Fails closed: nobody is an actor whom no gate has let through. */
export function actorOf(res: Response): Actor {
  const user = findCaller(res);
  return user ? { userId: user.userId } : { clientId: clientOf(res) };
}

/** Returns whether a service account makes the request, which sees more than an operator in a browser. */
export const isTool = (res: Response): boolean => findClient(res) !== undefined;

/** Returns the id of a user or a client. */
export const idOf = (actor: Actor): string => ('userId' in actor ? actor.userId : actor.clientId);

import path from 'node:path';
import type { ApiRequest } from '../dispatch/api.js';
import { ask, ended, startChild } from '../dispatch/ask.js';

const PROGRAM = path.join(import.meta.dirname, 'clients-process.js');

export interface Asking {
  readonly base: string;
  readonly token: string;
  /** Requests in turn, over all clients. */
  readonly requests: readonly ApiRequest[];
}

/** Numbers of answers by status. */
export type Answers = Readonly<Record<string, number>>;

/** Has 50 clients ask, as fast as they are answered. Returns a function that ends them. */
export async function startClients(asking: Asking): Promise<() => Promise<Answers>> {
  const child = startChild(PROGRAM);
  await ask(child, asking);
  return async () => {
    const answers = await ask<Answers>(child, {});
    await ended(child, () => child.kill());
    return answers;
  };
}

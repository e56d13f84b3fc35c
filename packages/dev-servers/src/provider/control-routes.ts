import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readBody } from './body.js';
import type { Context, Route } from './context.js';
import { type Control, ENDPOINTS, endpointAt } from './control.js';
import { RefusedError } from './refused-error.js';
import { SECURITY_EVENT_TYPES } from './security-events.js';
import type { Transmitter } from './transmitter.js';

const CALLS_MAX = 10_000;
const DELAY_MS_MAX = 60_000;
const RETRY_AFTER_S_MAX = 86_400;
const SKEW_S_MAX = 86_400;
const LOOPBACK = /^(::1|(::ffff:)?127(\.\d+){3})$/;

/** The control over HTTP, for tests that run in another process of this machine. */
export function controlRoutes(
  control: Control,
  sign: Transmitter['sign'],
): Readonly<Record<string, Route>> {
  const routes: Record<string, (body: object) => unknown> = {
    'GET /control/calls': () => control.calls(),
    'POST /control/faults': (body) => control.fail(parsed(fault, body)),
    'POST /control/reset': () => control.reset(),
    'POST /control/revoke': (body) => {
      const { email, client_id: clientId } = parsed(account, body);
      return { revoked: control.revokeAccount(email, clientId) };
    },
    'POST /control/clock': (body) => control.skewClock(parsed(clock, body).skew_s),
    'POST /control/sign': async (body) => {
      const { claims, header } = parsed(signed, body);
      return { token: await sign(claims, header) };
    },
    'POST /control/rotate-signing-key': () => control.rotateSigningKey(),
    'POST /control/security-events': (body) => {
      const { type, email, client_id: clientId } = parsed(happening, body);
      return { sent: control.happen(type, email, clientId) };
    },
  };

  return Object.fromEntries(
    Object.entries(routes).map(([name, answer]) => [
      name,
      async (ctx) => {
        requireLoopback(ctx);
        const answered = await answer(ctx.method === 'POST' ? await readJson(ctx) : {});
        ctx.status = answered === undefined ? 204 : 200;
        if (answered !== undefined) ctx.body = answered;
      },
    ]),
  );
}

/** Stands before the provider's endpoints: counts each call, and lets it fail if that is planned. */
export const faultyEndpoints =
  (control: Control) =>
  async (ctx: Context, next: () => Promise<void>): Promise<void> => {
    const endpoint = endpointAt(`${ctx.method} ${ctx.path}`);
    const fault = endpoint && control.received(endpoint);
    if (!fault) return next();

    await sleep(fault.delayMs ?? 0);
    if (fault.status === undefined) return next();
    if (fault.lateFailure) await next();
    ctx.status = fault.status;
    if (fault.retryAfterS !== undefined) ctx.set('retry-after', String(fault.retryAfterS));
    ctx.body = { error: fault.error ?? 'temporarily_unavailable' };
  };

// A page in a browser of this machine would be on loopback too, but can't send JSON to us unasked.
function requireLoopback(ctx: Context): void {
  if (LOOPBACK.test(ctx.req.socket.remoteAddress ?? '')) return;
  throw new RefusedError(403, 'The control answers only on this machine.');
}

async function readJson(ctx: Context): Promise<object> {
  const text = await readBody(ctx.req, 'application/json');
  try {
    const body: unknown = JSON.parse(text || '{}');
    if (typeof body === 'object' && body !== null) return body;
  } catch {
    // Said below, in our words.
  }
  throw new RefusedError(400, 'The body must be a JSON object.');
}

const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}.`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};
const text = z.string({ error: 'must be a string.' });
const object = z.record(z.string(), z.unknown(), { error: 'must be an object.' }).default({});
const account = z.object({ email: text.default(''), client_id: text.optional() });
const happening = account.extend({
  type: z.enum(SECURITY_EVENT_TYPES, {
    error: `must be one of ${SECURITY_EVENT_TYPES.join(', ')}.`,
  }),
});
const clock = z.object({ skew_s: whole(-SKEW_S_MAX, SKEW_S_MAX).default(0) });
const signed = z.object({ claims: object, header: object });
const fault = z
  .object({
    endpoint: z.enum(ENDPOINTS, { error: 'must be token, revocation, introspection or jwks.' }),
    calls: whole(0, CALLS_MAX).default(1),
    status: whole(200, 599).optional(),
    error: text.optional(),
    delay_ms: whole(0, DELAY_MS_MAX).optional(),
    retry_after_s: whole(0, RETRY_AFTER_S_MAX).optional(),
    late_failure: z.boolean().optional(),
  })
  .transform(({ delay_ms: delayMs, retry_after_s: retryAfterS, late_failure, ...fault }) => {
    return { ...fault, delayMs, retryAfterS, lateFailure: late_failure };
  });

/** @throws RefusedError that names the first wrong field */
function parsed<Output>(schema: z.ZodType<Output>, body: object): Output {
  const { data, error } = schema.safeParse(body);
  const [issue] = error?.issues ?? [];
  if (issue) throw new RefusedError(400, `${issue.path.join('.')} ${issue.message}`);
  return data as Output;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { readBody } from './body.js';
import type { Context, Route } from './context.js';
import { type Control, endpointAt, type Fault, isEndpoint } from './control.js';
import { RefusedError } from './refused-error.js';
import {
  isSecurityEventType,
  SECURITY_EVENT_TYPES,
  type SecurityEventType,
} from './security-events.js';
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
  const routes: Record<string, (body: Body) => unknown> = {
    'GET /control/calls': () => control.calls(),
    'POST /control/faults': (body) => control.fail(faultIn(body)),
    'POST /control/reset': () => control.reset(),
    'POST /control/revoke': (body) => ({
      revoked: control.revokeAccount(textIn(body, 'email') ?? '', textIn(body, 'client_id')),
    }),
    'POST /control/clock': (body) =>
      control.skewClock(wholeIn(body, 'skew_s', -SKEW_S_MAX, SKEW_S_MAX) ?? 0),
    'POST /control/sign': async (body) => ({
      token: await sign(objectIn(body, 'claims'), objectIn(body, 'header')),
    }),
    'POST /control/rotate-signing-key': () => control.rotateSigningKey(),
    'POST /control/security-events': (body) => ({
      sent: control.happen(typeIn(body), textIn(body, 'email') ?? '', textIn(body, 'client_id')),
    }),
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
    const endpoint = ctx.method === 'POST' ? endpointAt(ctx.path) : undefined;
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

type Body = Readonly<Record<string, unknown>>;

async function readJson(ctx: Context): Promise<Body> {
  const text = await readBody(ctx.req, 'application/json');
  try {
    const body: unknown = JSON.parse(text || '{}');
    if (typeof body === 'object' && body !== null) return body as Body;
  } catch {
    // Said below, in our words.
  }
  throw new RefusedError(400, 'The body must be a JSON object.');
}

function faultIn(body: Body): Fault {
  const endpoint = body['endpoint'];
  if (!isEndpoint(endpoint)) {
    throw new RefusedError(400, 'endpoint must be token, revocation or introspection.');
  }
  const delayMs = wholeIn(body, 'delay_ms', 0, DELAY_MS_MAX);
  const status = wholeIn(body, 'status', 200, 599);
  const retryAfterS = wholeIn(body, 'retry_after_s', 0, RETRY_AFTER_S_MAX);
  const error = textIn(body, 'error');
  return {
    endpoint,
    calls: wholeIn(body, 'calls', 0, CALLS_MAX) ?? 1,
    lateFailure: body['late_failure'] === true,
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
    ...(error === undefined ? {} : { error }),
  };
}

function typeIn({ type }: Body): SecurityEventType {
  if (isSecurityEventType(type)) return type;
  throw new RefusedError(400, `type must be one of ${SECURITY_EVENT_TYPES.join(', ')}.`);
}

function wholeIn(body: Body, field: string, min: number, max: number): number | undefined {
  const value = body[field];
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw new RefusedError(400, `${field} must be a whole number from ${min} to ${max}.`);
}

function objectIn(body: Body, field: string): object {
  const value = body[field] ?? {};
  if (typeof value === 'object') return value;
  throw new RefusedError(400, `${field} must be an object.`);
}

function textIn(body: Body, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || typeof value === 'string') return value;
  throw new RefusedError(400, `${field} must be a string.`);
}

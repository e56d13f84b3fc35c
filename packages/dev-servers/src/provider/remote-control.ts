import type { Control, Endpoint } from './control.js';

/** The hands of a test on a provider in another process: `Control`, over HTTP. */
export type RemoteControl = {
  readonly [Name in Exclude<keyof Control, 'received'>]: (
    ...args: Parameters<Control[Name]>
  ) => Promise<Awaited<ReturnType<Control[Name]>>>;
} & {
  /** Returns a security event token with these claims, signed as the provider signs the ones that it sends. */
  readonly signSecurityEvent: (claims: object, header?: object) => Promise<string>;
};

/** `base` is the address at which the provider itself listens. */
export function remoteControl(base: string): RemoteControl {
  const ask = async (method: string, name: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${base}/control/${name}`, {
      method,
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`The control answered ${answer.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const post = async (name: string, body: object = {}) => ask('POST', name, body);

  return {
    async fail({ delayMs: delay_ms, retryAfterS: retry_after_s, lateFailure, ...fault }) {
      await post('faults', { ...fault, delay_ms, retry_after_s, late_failure: lateFailure });
    },
    calls: async () => (await ask('GET', 'calls')) as Record<Endpoint, number>,
    reset: async () => void (await post('reset')),
    async revokeAccount(email, client_id) {
      const { revoked } = (await post('revoke', { email, client_id })) as { revoked: number };
      return revoked;
    },
    async happen(type, email, client_id) {
      const { sent } = (await post('security-events', { type, email, client_id })) as {
        sent: number;
      };
      return sent;
    },
    skewClock: async (skew_s) => void (await post('clock', { skew_s })),
    rotateSigningKey: async () => void (await post('rotate-signing-key')),
    async signSecurityEvent(claims, header) {
      const { token } = (await post('sign', { claims, header })) as { token: string };
      return token;
    },
  };
}

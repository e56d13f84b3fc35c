import { signatureHeaders, signingKeys } from '@junction/webhook-signing';

/** Event that a webhook would receive, for a receiver that the internet cannot reach. */
export interface Forwarding {
  readonly messageId: string;
  readonly body: string;
}

/** Outcome of forwarding. When `status` is null, the receiver did not answer, and `error` says why. */
export interface Forwarded {
  readonly status: number | null;
  readonly ms: number;
  readonly error?: string;
}

/** Milliseconds that the product waits for a receiver too. */
const TIMEOUT_MS = 15_000;

/** Sends it as the product would, signed with `secret`. Never rejects. */
export async function forward(
  url: string,
  { messageId, body }: Forwarding,
  secret: string,
): Promise<Forwarded> {
  const bytes = Buffer.from(body);
  const timestamp = new Date();
  const began = performance.now();
  const tookMs = () => Math.round(performance.now() - began);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Junction-Webhooks/1',
        ...signatureHeaders({ body: bytes, keys: [signingKeys(secret)], messageId, timestamp }),
      },
      body: bytes,
    });
    await response.body?.cancel();
    return { status: response.status, ms: tookMs() };
  } catch (error) {
    return { status: null, ms: tookMs(), error: reasonOf(error) };
  }
}

/** fetch hides what happened in the cause. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error;
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1_000} s`;
  return code === 'ECONNREFUSED' ? 'nothing listens there' : (code ?? String(error));
}

import type { CustomFetch } from 'openid-client';
import type { SalvagedTokens } from '../../application/provider-error.js';
import { normalTokenResponse } from './token-response.js';

const ANSWER_BYTES_MAX = 256 * 1_024;

/** Where a connection was not even made, nothing was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What is known of one call, whatever becomes of it in the library. */
export interface CallNotes {
  sent: boolean;
  tokens: SalvagedTokens;
}

/**
 * The fetch of one call to a provider. Reads at most 256 KB, makes token answers such as the library
 * takes, and notes what they held.
 */
export const salvagingFetch =
  (notes: CallNotes): CustomFetch =>
  async (url, { body, headers, method, redirect, signal }) => {
    const response = await fetch(url, {
      headers,
      method,
      redirect,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      notes.sent = !NEVER_SENT.has(codeOf(error));
      throw error;
    });
    notes.sent = true;

    const text = await boundedText(response);
    const json = response.status === 200 ? objectIn(text) : undefined;
    if (json === undefined || !('access_token' in json || 'refresh_token' in json)) {
      const { status, headers } = response;
      return new Response(text === '' ? null : text, { status, headers });
    }
    const { id_token: idToken, ...rest } = json;
    // An odd id_token would spoil a refresh, where nobody looks at it.
    const normal = normalTokenResponse(isRefresh(body) ? rest : { ...rest, id_token: idToken });
    notes.tokens = normal.tokens;
    return Response.json(normal.body);
  };

const isRefresh = (body: unknown): boolean =>
  body instanceof URLSearchParams && body.get('grant_type') === 'refresh_token';

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest. What was read so far does not parse, which is the answer.
    if (bytes > ANSWER_BYTES_MAX) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return isObject ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** By shape: errors of Node's own fetch may come from another realm, where instanceof is no help. */
interface Failure {
  readonly code?: string;
  readonly cause?: Failure;
  /** One for each address of a host. */
  readonly errors?: readonly Failure[];
}

function codeOf(error: unknown): string {
  const cause = (error as Failure | undefined)?.cause;
  return cause?.errors?.[0]?.code ?? cause?.code ?? '';
}

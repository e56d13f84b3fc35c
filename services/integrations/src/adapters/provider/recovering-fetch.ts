import type { Fetch } from '@junction/async';
import type { CustomFetch } from 'openid-client';
import type { RecoveredTokens } from '../../application/provider-error.js';
import { answerText, formIn, objectIn } from './answer-text.js';
import { errorTexts, isError } from './error-texts.js';
import { normalTokenResponse } from './token-response.js';

/** Codes of errors before a connection was made: nothing was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Matches undici's message for a proxy that opened no tunnel: its code says only that a request was aborted. */
const NO_TUNNEL = /^Proxy response \(\d+\) !== 200/;

/** Notes about one call, kept whatever the library makes of it. */
export interface CallNotes {
  sent: boolean;
  tokens: RecoveredTokens;
  /** The id_token of a token answer, as it came: the library gets none. */
  idToken?: unknown;
  /** The status of the answer to a form: of every endpoint that our client proves itself to. */
  httpStatus?: number;
  /** Texts in which such an endpoint refuses; undefined while it has not refused. */
  refusal?: readonly string[];
}

/**
 * Returns the fetch of one call to a provider. It changes token answers to the form that the library takes, and notes
 * the tokens in them: also of an answer that is cut off, or longer than the 256 KB that are read, and of an answer that
 * refuses, with any status and content type.
 */
export const recoveringFetch =
  (notes: CallNotes, send: Fetch = fetch): CustomFetch =>
  async (url, { body, headers, method, redirect, signal }) => {
    const response = await send(url, {
      headers,
      method,
      redirect,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      notes.sent = !isNeverSent(error);
      throw error;
    });
    notes.sent = true;

    const isTokenAnswer = grantTypeIn(body) !== undefined;
    const mayHoldTokens = response.ok && isTokenAnswer;
    const isForm = body instanceof URLSearchParams;
    if (isForm) notes.httpStatus = response.status;
    const text = await answerText(response, mayHoldTokens ? searchTokens(notes) : undefined);
    if (isForm && (!response.ok || isError(text))) notes.refusal = errorTexts(response, text);
    const json = mayHoldTokens ? (objectIn(text) ?? formIn(text)) : undefined;
    if (json === undefined || !('access_token' in json || 'refresh_token' in json)) {
      const { status, headers } = response;
      return new Response(text === '' ? null : text, { status, headers });
    }
    const { id_token: idToken, ...rest } = json;
    notes.idToken = idToken;
    const normal = normalTokenResponse(rest);
    notes.tokens = normal.tokens;
    return Response.json(normal.body);
  };

const grantTypeIn = (body: unknown): string | undefined =>
  body instanceof URLSearchParams ? (body.get('grant_type') ?? undefined) : undefined;

/** The text of a token's field, its quotes included. */
const TOKEN_FIELD = /"(access_token|refresh_token)"\s*:\s*("(?:[^"\\]|\\.)+")/g;

/** Notes the tokens in the parts of an answer, which need not be whole. A page with an example is none. */
function searchTokens(notes: CallNotes): (part: string) => void {
  let isJson: boolean | undefined;
  return (part) => {
    isJson ??= part.trimStart().startsWith('{');
    if (!isJson) return;
    for (const [, name = '', text = ''] of part.matchAll(TOKEN_FIELD)) {
      const { tokens } = normalTokenResponse(objectIn(`{"${name}":${text}}`) ?? {});
      notes.tokens = { ...notes.tokens, ...tokens };
    }
  };
}

/**
 * Error as far as its shape is read: errors of Node's own fetch may come from another realm, where instanceof does not
 * help.
 */
interface Failure {
  readonly code?: string;
  readonly message?: string;
  readonly cause?: Failure;
  /** Errors of the addresses of a host, one for each. */
  readonly errors?: readonly Failure[];
}

function isNeverSent(error: unknown): boolean {
  const cause = (error as Failure | undefined)?.cause;
  const code = cause?.errors?.[0]?.code ?? cause?.code ?? '';
  return NEVER_SENT.has(code) || NO_TUNNEL.test(cause?.cause?.message ?? '');
}

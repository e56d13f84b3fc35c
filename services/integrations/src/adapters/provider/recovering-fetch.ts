import type { CustomFetch } from 'openid-client';
import type { RecoveredTokens } from '../../application/provider-error.js';
import { answerText, formIn, objectIn } from './answer-text.js';
import { errorTexts, isError } from './error-texts.js';
import { normalTokenResponse } from './token-response.js';

/** Where a connection was not even made, nothing was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** undici's words for a proxy that opened no tunnel: its code says no more than that a request was aborted. */
const NO_TUNNEL = /^Proxy response \(\d+\) !== 200/;

/** What is known of one call, whatever becomes of it in the library. */
export interface CallNotes {
  sent: boolean;
  tokens: RecoveredTokens;
  /** The id_token of a refresh, as it came: the library sees none. */
  refreshedIdToken?: unknown;
  /** The status of the token endpoint's answer. */
  httpStatus?: number;
  /** The texts in which the token endpoint says no; undefined while it has not. */
  refusal?: readonly string[];
}

/**
 * The fetch of one call to a provider. Makes token answers such as the library takes, and notes what
 * they held: also of one that is cut off, or longer than the 256 KB that are looked at, and of one that says no, by
 * whatever status and content type.
 */
export const recoveringFetch =
  (notes: CallNotes, send: typeof fetch = fetch): CustomFetch =>
  async (url, { body, headers, method, redirect, signal }) => {
    const response = await send(url, {
      headers,
      method,
      redirect,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      // The keys are fetched after the code was sent.
      notes.sent ||= !isNeverSent(error);
      throw error;
    });
    notes.sent = true;

    const isTokenAnswer = grantTypeIn(body) !== undefined;
    const mayHoldTokens = response.ok && isTokenAnswer;
    if (isTokenAnswer) notes.httpStatus = response.status;
    const text = await answerText(response, mayHoldTokens ? searchTokens(notes) : () => {});
    if (isTokenAnswer && (!response.ok || isError(text)))
      notes.refusal = errorTexts(response, text);
    const json = mayHoldTokens ? (objectIn(text) ?? formIn(text)) : undefined;
    if (json === undefined || !('access_token' in json || 'refresh_token' in json)) {
      const { status, headers } = response;
      return new Response(text === '' ? null : text, { status, headers });
    }
    const { id_token: idToken, ...rest } = json;
    // An odd id_token would spoil a refresh, where it may be absent as well.
    const isRefresh = grantTypeIn(body) === 'refresh_token';
    if (isRefresh) notes.refreshedIdToken = idToken;
    const normal = normalTokenResponse(isRefresh ? rest : { ...rest, id_token: idToken });
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

/** By shape: errors of Node's own fetch may come from another realm, where instanceof is no help. */
interface Failure {
  readonly code?: string;
  readonly message?: string;
  readonly cause?: Failure;
  /** One for each address of a host. */
  readonly errors?: readonly Failure[];
}

function isNeverSent(error: unknown): boolean {
  const cause = (error as Failure | undefined)?.cause;
  const code = cause?.errors?.[0]?.code ?? cause?.code ?? '';
  return NEVER_SENT.has(code) || NO_TUNNEL.test(cause?.cause?.message ?? '');
}

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { DeliveryDetail } from '../api/answers.js';
import { apiFailure } from '../api/api-failure.js';
import type { ApiContext } from '../api-command.js';

/** The API that tools ask, as one user. */
export type Product = Pick<ApiContext, 'api' | 'url'>;

export const READS = { readOnlyHint: true, openWorldHint: false };

/**
 * Answers with a value of this schema, also as text for clients that read nothing else.
 * @throws Failure whose words say what to do
 */
export async function answer<Schema extends z.ZodObject>(
  { url }: Product,
  read: () => Promise<z.input<Schema>>,
): Promise<CallToolResult> {
  try {
    const structuredContent = { ...(await read()) };
    const text = JSON.stringify(structuredContent, null, 2);
    return { content: [{ type: 'text', text }], structuredContent };
  } catch (error) {
    throw apiFailure(url, error);
  }
}

/** Removes the bodies of requests and answers: they are personal, and an explanation does not need them. */
export const withoutContents = ({ attempts, ...delivery }: DeliveryDetail) => ({
  ...delivery,
  request_body: undefined,
  attempts: attempts.map(({ at, attempt, result, detail, response_status, timing }) => ({
    attempt,
    at,
    result,
    detail,
    response_status,
    total_ms: timing.total_ms,
  })),
});

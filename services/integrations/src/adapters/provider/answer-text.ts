/** What is taken as a whole; it costs memory. */
const WHOLE_CHARS_MAX = 256 * 1_024;
/** What is read at all. */
const READ_CHARS_MAX = 32 * 1_024 * 1_024;
/** Longer than a token in its field. */
const OVERLAP_CHARS = 32 * 1_024;

/**
 * The answer of a provider. One whose connection breaks or times out is taken if what came is whole JSON;
 * one that is longer than 256 KB is empty, which parses as nothing. `onPart` sees all of it, in parts that
 * overlap, whatever becomes of it.
 */
export async function answerText(
  response: Response,
  onPart: (part: string) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let readChars = 0;
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length <= WHOLE_CHARS_MAX) continue;
      onPart(text);
      readChars += text.length;
      // Leaving the loop cancels the rest.
      if (readChars > READ_CHARS_MAX) break;
      text = text.slice(-OVERLAP_CHARS);
    }
  } catch (error) {
    if (readChars > 0 || objectIn(text) === undefined) throw error;
  } finally {
    onPart(text);
  }
  return readChars > 0 ? '' : text;
}

/** A member that is null says nothing, as if it were not there. */
export const withoutNulls = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as T;

/**
 * The fields of a form (application/x-www-form-urlencoded), which some providers answer with, whatever they call it.
 * Undefined for a text that is none: it has blanks, or markup, or no field.
 */
export function formIn(text: string): Record<string, unknown> | undefined {
  const form = text.trim();
  if (!/^[^\s=&<>"{}]+=[^\s<>"{}]*$/.test(form)) return undefined;
  return Object.fromEntries(new URLSearchParams(form));
}

/** The object that this JSON is; undefined when it is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return isObject ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

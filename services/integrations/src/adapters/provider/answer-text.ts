/** Characters of the longest answer that is taken as a whole, because each costs memory. */
const WHOLE_CHARS_MAX = 256 * 1_024;
/** Characters that are read at most of an answer that may hold tokens: they would be lost with it. */
const READ_CHARS_MAX = 32 * 1_024 * 1_024;
/** Characters by which parts overlap: longer than a token in its field. */
const OVERLAP_CHARS = 32 * 1_024;

/**
 * Reads the answer of a provider. An answer whose connection breaks or times out is taken if the received text is whole
 * JSON; an answer that is longer than 256 KB is empty, which parses as nothing. With `onPart` it is read further, and
 * `onPart` gets the text in parts that overlap.
 */
export async function answerText(
  response: Response,
  onPart?: (part: string) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let readChars = 0;
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length <= WHOLE_CHARS_MAX) continue;
      onPart?.(text);
      readChars += text.length;
      // Leaving the loop cancels the rest.
      if (onPart === undefined || readChars > READ_CHARS_MAX) break;
      text = text.slice(-OVERLAP_CHARS);
    }
  } catch (error) {
    if (readChars > 0 || objectIn(text) === undefined) throw error;
  } finally {
    onPart?.(text);
  }
  return readChars > 0 ? '' : text;
}

/**
 * Returns the fields of a form (application/x-www-form-urlencoded), which some providers answer with under any content
 * type. Undefined for a text that is no form: it has blanks, or markup, or no field.
 */
export function formIn(text: string): Record<string, unknown> | undefined {
  const form = text.trim();
  if (!/^[^\s=&<>"{}]+=[^\s<>"{}]*$/.test(form)) return undefined;
  return Object.fromEntries(new URLSearchParams(form));
}

/** Returns the object in a JSON text; undefined when the text holds no object. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return isObject ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

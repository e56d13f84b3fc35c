/** Bytes, after decoding, of the longest answer that is taken: metadata, keys and errors are far shorter. */
const ANSWER_BYTES_MAX = 256 * 1_024;

/**
 * Returns a fetch whose answers have come whole when it resolves, so that a deadline covers the body too. Rejects with
 * TypeError for an answer of more than 256 KB after decoding, of which no more is read.
 */
export const boundedFetch =
  (send: typeof fetch = fetch): typeof fetch =>
  async (url, init) => {
    const response = await send(url, init);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += (chunk as Uint8Array).length;
      // Leaving the loop cancels the rest.
      if (bytes > ANSWER_BYTES_MAX) throw new TypeError('The answer has more than 256 KB.');
      chunks.push(chunk as Uint8Array);
    }
    return new Response(bytes === 0 ? null : Buffer.concat(chunks), response);
  };

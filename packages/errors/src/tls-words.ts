/** A line of OpenSSL: `140:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:record.c:354:`. */
const LINE = /(?:[0-9A-F]+:)?error:[0-9A-F]{8}:[^:]*:[^:]*:([^:\n]*)(?::[^\s:]*)*:?\s*/gi;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/wrong version number|packet length too long|http request/, 'what listens there speaks no TLS'],
  [/unknown ca/, 'the other side does not know the authority of our certificate'],
  [/certificate required|handshake failure/, 'the other side asks for a certificate of ours'],
  [/bad certificate|certificate unknown/, 'the other side does not accept our certificate'],
  [/certificate verify failed/, 'the certificate of the other side is not trusted here'],
  [/key values mismatch/, 'the key is not that of the certificate'],
  [/unsupported|no start line|bad base64/, 'it holds no key in a form that can be read'],
];

/** Returns a text with words for people in place of each line of OpenSSL. */
export const tlsInWords = (text: string): string =>
  text.replace(LINE, (_, reason: string) => {
    const [, words] = WORDS.find(([said]) => said.test(reason)) ?? [];
    return words ?? `TLS fails: ${reason}`;
  });

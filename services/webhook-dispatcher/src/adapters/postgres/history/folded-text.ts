/**
 * A text as it is compared with others: without regard to case and to how its characters are composed. Upper case
 * comes last, for it alone has one form of ß (SS) and of the Greek sigma; the four letters i of Turkish are one.
 */
export const folded = (text: string): string =>
  text.toLowerCase().toUpperCase().replaceAll('I\u0307', 'I').normalize('NFC');

const ESCAPE = /\\(?:u(?<code>[\da-fA-F]{4})|(?<short>.))/g;
const SHORT: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** JSON text as its reader sees it, with what is escaped (RFC 8259, section 7) as itself. */
export const unescaped = (json: string): string =>
  json.replaceAll(ESCAPE, (_, code: string | undefined, short: string = '') =>
    code === undefined ? (SHORT[short] ?? short) : String.fromCharCode(Number.parseInt(code, 16)),
  );

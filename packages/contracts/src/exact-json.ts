/**
 * A number of JSON text that is another one once it is read as a double (IEEE 754) and written again, such as
 * 9007199254740993 or 1e400 (RFC 8259, section 6).
 */
export class InexactNumber {
  readonly #nearest: number;
  readonly #side: number;

  constructor(literal: string) {
    this.#nearest = Number(literal);
    this.#side = compareDecimals(decimalOf(literal), decimalOf(String(this.#nearest)));
  }

  /** Negative when it is less than a number that a double holds, else positive: it is never equal to one. */
  compareTo(number: number): number {
    return this.#nearest === number ? this.#side : this.#nearest - number;
  }
}

/**
 * Parses JSON text like JSON.parse, except for numbers that would be written differently after they were read as
 * doubles: each of these numbers becomes an `InexactNumber` instead of the nearest double. Text without such numbers
 * takes as long as JSON.parse and one search. Nesting uses no stack.
 * @throws SyntaxError when the text is not JSON.
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayBeInexact(text) ? rebuilt(text) : value;
}

/** False when doubles hold all numbers of a JSON text: those of 15 digits and an exponent of two at most. */
export const mayBeInexact = (text: string): boolean => /[\d.]{16}|\d[eE][+-]?\d{3}/.test(text);

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{}]/g;

interface Container {
  readonly value: unknown[] | Map<string, unknown>;
  /** Name of the member that comes next; undefined: a name comes next. */
  name?: string | undefined;
}

/** Reads text that JSON.parse has read before, so that its tokens are sure. */
function rebuilt(text: string): unknown {
  const root: unknown[] = [];
  const open: Container[] = [{ value: root }];
  const put = (value: unknown): void => {
    const container = open.at(-1);
    if (container?.value instanceof Map) {
      container.value.set(container.name ?? '', value);
      container.name = undefined;
    } else container?.value.push(value);
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const container = open.at(-1);
    if (token === '[') open.push({ value: [] });
    else if (token === '{') open.push({ value: new Map() });
    else if (token === ']' || token === '}') put(closed(open.pop()));
    else if (container?.value instanceof Map && container.name === undefined)
      container.name = JSON.parse(token) as string;
    else put(scalarOf(token));
  }
  return root[0];
}

/** The last of several members with one name counts, as for JSON.parse; `__proto__` is a name like any other. */
const closed = (container: Container | undefined): unknown =>
  container?.value instanceof Map ? Object.fromEntries(container.value) : container?.value;

function scalarOf(token: string): unknown {
  const value: unknown = JSON.parse(token);
  return typeof value !== 'number' || isHeld(token, value) ? value : new InexactNumber(token);
}

const isHeld = (literal: string, value: number): boolean =>
  Number.isFinite(value) && compareDecimals(decimalOf(literal), decimalOf(String(value))) === 0;

/** ± 0.`digits` × 10^`exponent`, without zeros at either end of the digits; zero has none. */
interface Decimal {
  readonly sign: number;
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(literal: string): Decimal {
  if (literal.endsWith('Infinity')) {
    return { sign: literal.startsWith('-') ? -1 : 1, digits: '1', exponent: Infinity };
  }
  const [, minus, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const all = whole + fraction;
  // Zeros are cut by hand, because a pattern for zeros at the end would start anew at each zero of a long literal.
  const begin = all.search(/[1-9]/);
  if (begin < 0) return { sign: 0, digits: '', exponent: 0 };
  let end = all.length;
  while (all[end - 1] === '0') end--;
  return {
    sign: minus ? -1 : 1,
    digits: all.slice(begin, end),
    exponent: Number(exponent) + whole.length - begin,
  };
}

function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.sign !== b.sign) return a.sign - b.sign;
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -a.sign : a.sign;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -a.sign : a.sign;
}

/** Markup that is safe to send: made by `html`, which escapes whatever is put into it. */
export interface Html {
  readonly markup: string;
}

type Part = string | Html | undefined | readonly Html[];

/** Strings are escaped, markup goes in as it is, undefined is nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = texts.map((text, index) => text + render(parts[index])).join('');
  return { markup };
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escape(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);

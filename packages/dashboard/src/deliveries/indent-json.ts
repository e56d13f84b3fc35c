const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;
const INDENT = '  ';

/**
 * Returns the same JSON with line breaks and indentation. Strings and numbers stay as they are written: parsing would
 * round large numbers, drop doubled keys and rewrite escapes. Text that is no JSON comes back unchanged.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  const out: string[] = [];
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const opened = last === '{' || last === '[';
    if (closes ? !opened : opened || last === ',') out.push('\n', INDENT.repeat(depth));
    out.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    last = token;
  }
  return out.join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A form of a page, as far as a person without JavaScript could use it. */
export interface Form {
  /** As written: relative to the page. */
  readonly action: string;
  readonly fields: readonly Field[];
}

export interface Field {
  /** `submit` for a button, otherwise the type of the input. */
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
}

export const formsIn = (html: string): readonly Form[] =>
  [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(([, tag = '', inside = '']) => ({
    action: attributesIn(tag).get('action') ?? '',
    fields: [...inside.matchAll(/<(input|button)\b([^>]*)>/gi)].map(([, element = '', rest = '']) =>
      fieldOf(element.toLowerCase(), attributesIn(rest)),
    ),
  }));

function fieldOf(element: string, attributes: ReadonlyMap<string, string>): Field {
  const type = element === 'button' ? 'submit' : (attributes.get('type') ?? 'text');
  return {
    type,
    name: attributes.get('name') ?? '',
    value: attributes.get('value') ?? (type === 'checkbox' ? 'on' : ''),
    checked: attributes.has('checked'),
  };
}

export const has = (form: Form, type: string, name?: string, value?: string): boolean =>
  form.fields.some(
    (field) =>
      field.type === type &&
      (name === undefined || field.name === name) &&
      (value === undefined || field.value === value),
  );

/** What a form sends besides what is filled in. */
export function hiddenFields({ fields }: Form): URLSearchParams {
  const hidden = new URLSearchParams();
  for (const { type, name, value } of fields) if (type === 'hidden') hidden.append(name, value);
  return hidden;
}

/** The first heading of a page, in plain text: what it says it is. */
export function headingOf(html: string): string {
  const [, inside = ''] = /<h1\b[^>]*>([\s\S]*?)<\/h1>/i.exec(html) ?? [];
  const alert = /role="alert"[^>]*>([\s\S]*?)</i.exec(html)?.[1];
  const text = alert === undefined ? inside : `${inside}: ${alert}`;
  return decode(text.replace(/<[^>]*>/g, '')).trim();
}

const ATTRIBUTE = /([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

const attributesIn = (tag: string): ReadonlyMap<string, string> =>
  new Map(
    [...tag.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decode(double ?? single ?? bare ?? ''),
    ]),
  );

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

const decode = (text: string): string =>
  text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity);

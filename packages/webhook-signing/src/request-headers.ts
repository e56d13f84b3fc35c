import { WebhookVerificationError } from './verification-error.js';

/** Headers as Node has them, or any other object of names and values; the case of names does not matter. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** @throws WebhookVerificationError when it is absent, empty, or there twice. */
export function requiredHeader(headers: Headers | RequestHeaders, name: string): string {
  const values = isFetchHeaders(headers) ? headers.get(name) : valuesOf(headers, name);
  if (typeof values === 'string' && values !== '') return values;
  throw new WebhookVerificationError(
    'missing_header',
    `${name} is missing${values ? ', or there more than once' : ''}.`,
  );
}

const isFetchHeaders = (headers: Headers | RequestHeaders): headers is Headers =>
  typeof headers['get'] === 'function';

/** The one value; all of them when there are more, and nothing when there is none. */
function valuesOf(headers: RequestHeaders, name: string): string | readonly string[] | undefined {
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.length > 1 ? values : values[0];
}

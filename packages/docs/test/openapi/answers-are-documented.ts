import { document, documentedBy } from './documented.js';

// Every answer of the API to an end-to-end test is looked up in the document. An undocumented answer fails the test.
const undocumented = documentedBy(document);
const original = globalThis.fetch;

/** Paths of the API, also where no gateway leads to; other paths belong to pages, probes and receivers. */
const API = /^(?:\/internal)?(\/(?:api|oauth)\/.*)/;

globalThis.fetch = async (input, init) => {
  const response = await original(input, init);
  const request = new URL(input instanceof Request ? input.url : input);
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
  const [, path] = API.exec(request.pathname) ?? [];
  if (path === undefined || !/^(?:GET|POST|PATCH|DELETE)$/i.test(method)) return response;

  const body = type === 'text/event-stream' ? '' : await response.clone().text();
  const problem = undocumented({
    method,
    path,
    isInternal: path !== request.pathname,
    status: response.status,
    type,
    body,
  });
  // No document has a retired operation, whose answers say so.
  const isRetired = problem === 'operation' && response.headers.has('deprecation');
  if (problem === undefined || isRetired) return response;
  throw new Error(
    `${method} ${path} was answered with what openapi.json does not have: ${problem}`,
  );
};

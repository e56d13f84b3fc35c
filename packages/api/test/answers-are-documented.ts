import { document, documentedBy } from './documented.js';

// Every answer that an end-to-end test gets of the API is looked up in the document: what is not in it fails the test.
const undocumented = documentedBy(document);
const original = globalThis.fetch;

/** What belongs to the API and not to a page, a probe or a receiver. */
const API = /^\/(?:api|oauth)\//;

globalThis.fetch = async (input, init) => {
  const response = await original(input, init);
  const request = new URL(input instanceof Request ? input.url : input);
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
  if (!API.test(request.pathname) || !/^(?:GET|POST|PATCH|DELETE)$/i.test(method)) return response;

  const body = type === 'text/event-stream' ? '' : await response.clone().text();
  const path = request.pathname;
  const problem = undocumented({ method, path, status: response.status, type, body });
  if (problem === undefined) return response;
  throw new Error(
    `${method} ${path} was answered with what openapi.json does not have: ${problem}`,
  );
};

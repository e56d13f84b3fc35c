import type { Namespaces } from './namespaces.js';

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request to http://localhost:8080 from within the namespaces of the containers. */
export async function askWithin(
  namespaces: Namespaces,
  method: string,
  target: string,
  { headers = {}, json }: Asked = {},
): Promise<Answered> {
  const typed = json === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  const request = {
    method,
    headers: typed,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  };
  const script = `
    const response = await fetch('http://localhost:8080${target}', ${JSON.stringify(request)});
    const { status, headers } = response;
    console.log(JSON.stringify({ status, headers: Object.fromEntries(headers), body: await response.text() }));
  `;
  const printed = await namespaces.run([process.execPath, '--input-type=module', '--eval', script]);
  return JSON.parse(printed) as Answered;
}

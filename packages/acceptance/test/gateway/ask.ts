import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as it came, compressed or not. */
  readonly raw: Buffer;
}

/** Asks exactly for `target`. fetch would tidy the path up and add headers of its own. */
export async function askAt(
  origin: string,
  target: string,
  { method = 'GET', headers = {}, body = '' }: Asked = {},
): Promise<Answered> {
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { path: target, method, headers: { ...headers, ...length }, agent: false };
  const sent = request(origin, options).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => undefined); // the answer may come before the body is read
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  return { status: response.statusCode, headers: response.headers, body: raw.toString(), raw };
}

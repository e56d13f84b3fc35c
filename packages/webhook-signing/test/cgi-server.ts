import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** Runs a script for each request, as a web server does by RFC 3875. */
export function cgiServer(command: readonly string[], env: NodeJS.ProcessEnv): Server {
  return createServer((request, response) => {
    run(command, env, request, response).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  });
}

async function run(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const meta = Object.entries(request.headers).map(([name, value]) => [
    name === 'content-length'
      ? 'CONTENT_LENGTH'
      : `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
    String(value),
  ]);
  const script = spawn(program, args, { env: { ...env, ...Object.fromEntries(meta) } });
  script.stdin.on('error', () => undefined); // The script may answer before it has read everything.
  script.stderr.resume();
  // A script must not wait for the end of its input where there is a length (RFC 3875, section 4.2).
  request.pipe(script.stdin, { end: request.headers['content-length'] === undefined });
  const answer = await text(script.stdout);
  const [, status] = /^Status: (\d{3})\r\n/.exec(answer) ?? [];
  response.writeHead(status === undefined ? 500 : Number(status)).end();
}

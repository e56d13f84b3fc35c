import type { ServiceDefinition } from '@grpc/grpc-js';

/** A small service of our own for tests: `say` answers what was said, `sum` adds up a stream. */
export const echoService = {
  say: method<{ text: string }, { text: string }>('Say', false),
  sum: method<{ n: number }, { total: number }>('Sum', true),
  closed: method<{ text: string }, { text: string }>('Closed', false),
} satisfies ServiceDefinition;

function method<Request, Response>(name: string, requestStream: boolean) {
  return {
    path: `/junction.test.v1.EchoService/${name}`,
    requestStream: requestStream as false,
    responseStream: false as const,
    requestSerialize: (value: Request) => Buffer.from(JSON.stringify(value)),
    requestDeserialize: (bytes: Buffer) => JSON.parse(bytes.toString()) as Request,
    responseSerialize: (value: Response) => Buffer.from(JSON.stringify(value)),
    responseDeserialize: (bytes: Buffer) => JSON.parse(bytes.toString()) as Response,
  };
}

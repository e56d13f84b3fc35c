import path from 'node:path';
import { z } from 'zod';
import { LocalStackError } from '../local-stack-error.js';

// An empty variable is one that is not set; as a number it would be 0, any port.
const port = (usual: number) =>
  z.preprocess(
    (text) => text || undefined,
    z.coerce.number().int().min(0).max(65_535).default(usual),
  );

const environment = z.object({
  GATEWAY_PORT: port(8080),
  KAFKA_PORT: port(9092),
  POSTGRES_PORT: port(5433),
  PROVIDER_PORT: port(8090),
  AUTH_HTTP_PORT: port(7001),
  INTEGRATIONS_HTTP_PORT: port(7002),
  WEBHOOKS_HTTP_PORT: port(7003),
  AUTH_GRPC_PORT: port(7101),
  INTEGRATIONS_GRPC_PORT: port(7102),
  WEBHOOKS_GRPC_PORT: port(7103),
});

/** Every port `npm start` opens, under the variable that moves it. */
export type PortName = keyof z.infer<typeof environment>;
export type Ports = Readonly<Record<PortName, number>>;

export interface Settings {
  readonly ports: Ports;
  /** Absolute. Data, logs, secrets, pids and endpoints live below it. */
  readonly dataDir: string;
}

/**
 * Reads the ports and the data folder from the environment. A port of 0 asks for any free one.
 * @throws LocalStackError that names every variable that is not usable.
 */
export function readSettings(env: NodeJS.ProcessEnv, root: string): Settings {
  const result = environment.safeParse(env);
  if (!result.success) {
    throw new LocalStackError(`These variables are not usable:\n${z.prettifyError(result.error)}`);
  }
  const dataDir = path.resolve(root, env['JUNCTION_DATA_DIR'] || '.junction');
  return { ports: result.data, dataDir };
}

import path from 'node:path';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);

const environment = z.object({
  GATEWAY_PORT: port.default(8080),
  KAFKA_PORT: port.default(9092),
  POSTGRES_PORT: port.default(5433),
  PROVIDER_PORT: port.default(8090),
  AUTH_HTTP_PORT: port.default(7001),
  INTEGRATIONS_HTTP_PORT: port.default(7002),
  WEBHOOKS_HTTP_PORT: port.default(7003),
  AUTH_GRPC_PORT: port.default(7101),
  INTEGRATIONS_GRPC_PORT: port.default(7102),
  WEBHOOKS_GRPC_PORT: port.default(7103),
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
 * @throws an error that names every variable that is not usable.
 */
export function readSettings(env: NodeJS.ProcessEnv, root: string): Settings {
  const result = environment.safeParse(env);
  if (!result.success) {
    throw new Error(`These variables are not usable:\n${z.prettifyError(result.error)}`);
  }
  const dataDir = path.resolve(root, env['JUNCTION_DATA_DIR'] ?? '.junction');
  return { ports: result.data, dataDir };
}

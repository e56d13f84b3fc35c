import path from 'node:path';
import { addresses, type World } from './environment.js';
import { type ClientName, clientIdOf, writeOwnerOnly } from './secrets.js';

/** Writes .junction/endpoints.json: where everything answers, and as whom a machine may ask. */
export function writeEndpoints(world: World): void {
  const { gateway, providers, mail, http, grpc } = addresses(world);
  const client = (name: ClientName) => ({
    client_id: clientIdOf(name),
    client_secret: world.secrets.clients[name],
  });
  writeOwnerOnly(path.join(world.dataDir, 'endpoints.json'), {
    gateway,
    kafka: world.kafkaBrokers,
    providers,
    mail,
    http,
    grpc,
    producer: client('producer'),
    worker: client('worker'),
    operator: client('operator'),
  });
}

/** Writes .junction/pids.json: the process of each part that this machine runs. */
export const writePids = (dataDir: string, pids: Readonly<Record<string, number>>): void =>
  writeOwnerOnly(path.join(dataDir, 'pids.json'), pids);

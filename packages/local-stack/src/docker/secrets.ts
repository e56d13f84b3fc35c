import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const SECRETS = 'docker.json';

/** The volumes' name and the superuser's password go together: a new password needs new volumes. */
export function dockerSecrets(dataDir: string): { readonly id: string; readonly password: string } {
  const file = path.join(dataDir, SECRETS);
  mkdirSync(dataDir, { recursive: true });
  if (!existsSync(file)) {
    const made = {
      id: randomBytes(8).toString('hex'),
      password: randomBytes(24).toString('base64url'),
    };
    writeFileSync(file, `${JSON.stringify(made)}\n`, { mode: 0o600 });
  }
  return JSON.parse(readFileSync(file, 'utf8')) as { id: string; password: string };
}

export const postgresVolume = (id: string): string => `junction-postgres-${id}`;
export const kafkaVolume = (id: string): string => `junction-kafka-${id}`;

/** The names of the volumes of a data folder: what a reset has to delete. */
export function dockerVolumes(dataDir: string): readonly string[] {
  if (!existsSync(path.join(dataDir, SECRETS))) return [];
  const { id } = dockerSecrets(dataDir);
  return [postgresVolume(id), kafkaVolume(id)];
}

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { remembered } from '@junction/async';
import type { Meter } from '../process/index.js';
import type { PlatformConfig } from './platform.js';

const SECOND_MS = 1_000;
const FRESH_MS = 60 * SECOND_MS;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Registers when the certificates end that lie in files: of a file with several, that which ends first. */
export function measureCertificates(
  meter: Meter,
  config: Pick<PlatformConfig, 'grpcSecurity' | 'kafka'>,
): void {
  const files = Object.entries(certificateFiles(config));
  const ends = remembered(FRESH_MS, async () =>
    Promise.all(files.map(async ([file, path]) => ({ file, endsMs: await endMs(path) }))),
  );
  meter.gauge(
    'junction_certificate_expiry_timestamp_seconds',
    'End of the certificate in a file, as Unix time; read again each minute.',
    ['file'],
    async () =>
      (await ends()).map(({ file, endsMs }) => ({ value: endsMs / SECOND_MS, labels: { file } })),
  );
}

/** Returns the certificate files that the settings name, by their variables. */
export function certificateFiles({
  grpcSecurity,
  kafka,
}: Pick<PlatformConfig, 'grpcSecurity' | 'kafka'>): Readonly<Record<string, string>> {
  const grpc = grpcSecurity.plaintext ? undefined : grpcSecurity;
  const named = {
    GRPC_TLS_CERT_FILE: grpc?.certFile,
    GRPC_TLS_CA_FILE: grpc?.caFile,
    KAFKA_SSL_CA_FILE: kafka.caFile,
    KAFKA_SSL_CERT_FILE: kafka.certFile,
  };
  return Object.fromEntries(
    Object.entries(named).filter((one): one is [string, string] => one[1] !== undefined),
  );
}

async function endMs(path: string): Promise<number> {
  const certificates = (await readFile(path, 'utf8')).match(PEM) ?? [];
  return Math.min(...certificates.map((pem) => Date.parse(new X509Certificate(pem).validTo)));
}

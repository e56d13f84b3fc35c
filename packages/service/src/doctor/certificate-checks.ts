import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { certificateFiles } from '../platform/certificate-measures.js';
import type { PlatformConfig } from '../platform/platform.js';
import { type Check, type Complaint, problem, warning } from './finding.js';

const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const RENEW = 'Issue it anew, put it in its file, and restart the replicas one after the other.';

type Settings = Pick<PlatformConfig, 'grpcSecurity' | 'kafka'>;

/** Checks whether the certificates that the settings name are valid, and will be for two weeks. */
export const certificateCheck = (config: Settings): Check => ({
  name: 'certificates',
  remedy: 'Mount the file where the variable says, readable for the user of the process.',
  async look() {
    const files = Object.entries(certificateFiles(config));
    const judged = await Promise.all(files.map(async ([variable, path]) => judge(variable, path)));
    const complaints = [...judged.flat(), ...(await keyComplaints(config))];
    if (complaints.length > 0) return complaints;
    return files.length === 0
      ? 'None is named: plaintext, or those of the system.'
      : `${files.map(([name]) => name).join(', ')}: all valid.`;
  },
});

async function judge(variable: string, path: string): Promise<readonly Complaint[]> {
  const certificates = (await readFile(path, 'utf8')).match(PEM) ?? [];
  if (certificates.length === 0) {
    return [problem(`The file of ${variable} holds no certificate.`, 'It must be PEM.')];
  }
  return certificates.flatMap((pem) => {
    const { validFrom, validTo, subject } = new X509Certificate(pem);
    const of = `The certificate ${subject.replaceAll('\n', ', ')} of ${variable}`;
    const leftMs = Date.parse(validTo) - Date.now();
    if (leftMs <= 0) return [problem(`${of} ended at ${validTo}.`, RENEW)];
    if (Date.parse(validFrom) > Date.now()) {
      return [
        problem(`${of} is not valid before ${validFrom}.`, 'Check the clock of this machine.'),
      ];
    }
    return leftMs < SOON_MS ? [warning(`${of} ends at ${validTo}.`, RENEW)] : [];
  });
}

/** Pairs of files, by the beginnings of their variables. */
const keyPairs = ({ grpcSecurity, kafka }: Settings) => [
  { of: 'GRPC_TLS', ...(grpcSecurity.plaintext ? {} : grpcSecurity) },
  { of: 'KAFKA_SSL', certFile: kafka.certFile, keyFile: kafka.keyFile },
];

async function keyComplaints(settings: Settings): Promise<readonly Complaint[]> {
  const complaints: Complaint[] = [];
  for (const { of, certFile, keyFile } of keyPairs(settings)) {
    if (certFile === undefined || keyFile === undefined) continue;
    const certificate = new X509Certificate(await readFile(certFile));
    if (certificate.checkPrivateKey(createPrivateKey(await readFile(keyFile)))) continue;
    const found = `The key of ${of}_KEY_FILE is not that of the certificate in ${of}_CERT_FILE.`;
    complaints.push(problem(found, 'Put the two files of one certificate there.'));
  }
  return complaints;
}

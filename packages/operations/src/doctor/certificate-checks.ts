import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PlatformConfig } from '@junction/service';
import { certificateFiles } from '@junction/service';
import { type Check, type Complaint, problem, warning, wordsOf } from './finding.js';

const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const MOUNT = 'Mount it as PEM where the variable says, readable for the user of the process.';
const RENEW =
  'Issue it anew and put it in its file: a running service reads that again, without a restart.';

type Settings = Pick<PlatformConfig, 'grpcSecurity' | 'kafka'>;

/** Checks whether the certificates that the settings name are valid, and will be for two weeks. */
export const certificateCheck = (config: Settings): Check => ({
  name: 'certificates',
  remedy: MOUNT,
  async look() {
    const files = Object.entries(certificateFiles(config));
    const judged = await Promise.all([
      ...files.map(async ([variable, path]) => read(variable, path, judge)),
      ...keyPairs(config).map(judgeKey),
    ]);
    const complaints = judged.flat();
    if (complaints.length > 0) return complaints;
    return files.length === 0
      ? 'None is named: plaintext, or those of the system.'
      : `${files.map(([name]) => name).join(', ')}: all valid.`;
  },
});

/** Judges the content of a file; a file that cannot be read is a problem of its own. */
async function read(
  variable: string,
  path: string,
  judge: (variable: string, content: string) => readonly Complaint[],
): Promise<readonly Complaint[]> {
  try {
    return judge(variable, await readFile(path, 'utf8'));
  } catch (error) {
    return [problem(`The file of ${variable} cannot be used: ${wordsOf(error)}.`, MOUNT)];
  }
}

function judge(variable: string, content: string): readonly Complaint[] {
  const certificates = content.match(PEM) ?? [];
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

/** Returns the pairs of a certificate and its key, by the beginnings of their variables. */
const keyPairs = ({ grpcSecurity, kafka }: Settings) => [
  { of: 'GRPC_TLS', ...(grpcSecurity.plaintext ? {} : grpcSecurity) },
  { of: 'KAFKA_SSL', certFile: kafka.certFile, keyFile: kafka.keyFile },
];

async function judgeKey({
  of,
  certFile,
  keyFile,
}: ReturnType<typeof keyPairs>[number]): Promise<readonly Complaint[]> {
  if (certFile === undefined || keyFile === undefined) return [];
  const certificate = await readFile(certFile).catch(() => Buffer.from(''));
  return read(`${of}_KEY_FILE`, keyFile, (variable, content) => {
    const key = createPrivateKey(content);
    if (!certificate.toString().match(PEM)) return []; // another complaint is about that file
    if (new X509Certificate(certificate).checkPrivateKey(key)) return [];
    const found = `The key of ${variable} is not that of the certificate in ${of}_CERT_FILE.`;
    return [problem(found, 'Put the two files of one certificate there.')];
  });
}

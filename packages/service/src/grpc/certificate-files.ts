import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { experimental } from '@grpc/grpc-js';

/**
 * Interval at which the files are read. A certificate is renewed days before its end, at a time that only its issuer
 * knows.
 */
const READ_EVERY_MS = 10_000;

export interface CertificateFiles {
  /** PEM: the certificate, and its key. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** PEM: whom to believe; absent: the system's authorities. */
  readonly caFile?: string | undefined;
}

export interface CertificateFilesOptions {
  /** Called with the problem of files that changed: the certificates before stay in use. */
  readonly onProblem?: (problem: unknown) => void;
  readonly everyMs?: number;
}

/**
 * Provides the certificates that their files hold now: the files are read every ten seconds while a connection uses
 * them, so that a renewed certificate is used without a restart. Open connections go on with the certificate before.
 *
 * @throws when a file cannot be read, or a key is not that of its certificate
 */
export function certificateFiles(
  files: CertificateFiles,
  { onProblem = () => undefined, everyMs = READ_EVERY_MS }: CertificateFilesOptions = {},
): experimental.CertificateProvider {
  const identityListeners = new Set<experimental.IdentityCertificateUpdateListener>();
  const caListeners = new Set<experimental.CaCertificateUpdateListener>();
  let current = read(files);
  let timer: NodeJS.Timeout | undefined;

  const lookAgain = () => {
    try {
      const next = read(files);
      if (isSame(next, current)) return;
      current = next;
    } catch (error) {
      return onProblem(error); // one of two files may be written already
    }
    for (const tell of identityListeners) tell(current.identity);
    for (const tell of caListeners) tell(current.ca);
  };
  const changed = () => {
    clearInterval(timer);
    const isUsed = identityListeners.size + caListeners.size > 0;
    timer = isUsed ? setInterval(lookAgain, everyMs).unref() : undefined;
  };
  return {
    addIdentityCertificateListener(tell) {
      identityListeners.add(tell);
      changed();
      process.nextTick(() => tell(current.identity));
    },
    removeIdentityCertificateListener(tell) {
      identityListeners.delete(tell);
      changed();
    },
    addCaCertificateListener(tell) {
      caListeners.add(tell);
      changed();
      process.nextTick(() => tell(current.ca));
    },
    removeCaCertificateListener(tell) {
      caListeners.delete(tell);
      changed();
    },
  };
}

interface Certificates {
  readonly identity: experimental.IdentityCertificateUpdate | null;
  readonly ca: experimental.CaCertificateUpdate;
}

function read({ certFile, keyFile, caFile }: CertificateFiles): Certificates {
  const certificate = certFile === undefined ? undefined : readFileSync(certFile);
  const privateKey = keyFile === undefined ? undefined : readFileSync(keyFile);
  const caCertificate =
    caFile === undefined ? Buffer.from(rootCertificates.join('\n')) : readFileSync(caFile);
  createSecureContext({ cert: certificate, key: privateKey, ca: caCertificate }); // throws for what cannot be used
  const identity = certificate && privateKey ? { certificate, privateKey } : null;
  return { identity, ca: { caCertificate } };
}

const isSame = (one: Certificates, other: Certificates): boolean =>
  one.ca.caCertificate.equals(other.ca.caCertificate) &&
  (one.identity === null || other.identity === null
    ? one.identity === other.identity
    : one.identity.certificate.equals(other.identity.certificate) &&
      one.identity.privateKey.equals(other.identity.privateKey));

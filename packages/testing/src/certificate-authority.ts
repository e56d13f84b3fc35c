import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate } from 'selfsigned';

const DAY_MS = 86_400_000;

/** A certificate authority nobody knows yet. */
export interface CertificateAuthority {
  /** Its certificate, PEM; and the same in a file, for NODE_EXTRA_CA_CERTS and the like. */
  readonly certificate: string;
  readonly file: string;
  /** A certificate for the names of this machine, or as it is wished. */
  issue(wish?: CertificateWish): Promise<{ readonly key: string; readonly cert: string }>;
  /** Deletes the file. */
  close(): Promise<void>;
}

export interface CertificateWish {
  /** Instead of the names of this machine. */
  readonly name?: string;
  readonly notBeforeDate?: Date;
  readonly notAfterDate?: Date;
  /** Signed by itself instead of the authority. */
  readonly selfSigned?: boolean;
}

/** Makes an authority whose certificates hold for a day, from an hour ago (clocks differ). */
export async function certificateAuthority(): Promise<CertificateAuthority> {
  const now = Date.now();
  const common = {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS / 24),
    notAfterDate: new Date(now + DAY_MS),
  } as const;
  const authority = await generate([{ name: 'commonName', value: 'Junction test authority' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'junction-ca-'));
  const file = path.join(folder, 'ca.pem');
  await writeFile(file, authority.cert);

  return {
    certificate: authority.cert,
    file,
    async issue({ name, selfSigned = false, ...dates } = {}) {
      const issued = await generate([{ name: 'commonName', value: name ?? 'localhost' }], {
        ...common,
        ...dates,
        ...(!selfSigned && { ca: { key: authority.private, cert: authority.cert } }),
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true },
          { name: 'extKeyUsage', serverAuth: true },
          {
            name: 'subjectAltName',
            altNames: name === undefined ? NAMES : [{ type: 2, value: name }],
          },
        ],
      });
      return { key: issued.private, cert: issued.cert };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

const NAMES = [
  { type: 2 as const, value: 'localhost' },
  { type: 7 as const, ip: '127.0.0.1' },
  { type: 7 as const, ip: '::1' },
];

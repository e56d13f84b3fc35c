import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { generate as Generate, SelfsignedOptions } from 'selfsigned';

const DAY_MS = 86_400_000;

/** Loaded by its first use: jest loads what is imported again for each test file. */
const generate: typeof Generate = async (...request) =>
  (await import('selfsigned')).generate(...request);

/** A certificate authority that no program trusts yet. */
export interface CertificateAuthority {
  /** Certificate of the authority, PEM; `file` holds the same, for NODE_EXTRA_CA_CERTS and the like. */
  readonly certificate: string;
  readonly file: string;
  /** A certificate for the names of this machine, or as the request has it. */
  issue(request?: CertificateRequest): Promise<{ readonly key: string; readonly cert: string }>;
  /** Deletes the file. */
  close(): Promise<void>;
}

export interface CertificateRequest {
  /** Instead of the names of this machine. */
  readonly name?: string;
  readonly notBeforeDate?: Date;
  readonly notAfterDate?: Date;
  /** Signed by itself instead of the authority. */
  readonly selfSigned?: boolean;
  /** Whether the certificate is for clients, and not for servers. */
  readonly clientOnly?: boolean;
  /** Whether the certificate is for clients as well as for servers: one that a service shows to another. */
  readonly clientToo?: boolean;
  /** Signed by one whom the authority signed. */
  readonly issuer?: keyof typeof ISSUERS;
}

const ISSUERS = {
  /** An authority itself, whose certificate is left out of what is presented. */
  absent: { cA: true, isPresented: false },
  /** Holder of a certificate that lets it sign none; it is presented. */
  powerless: { cA: false, isPresented: true },
} as const;

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
    async issue({ name, selfSigned = false, issuer: kind, clientOnly, clientToo, ...dates } = {}) {
      const { issuer, presented } =
        kind === undefined
          ? { issuer: authority, presented: [] }
          : await issuerOf(kind, { ...common, ca: signing(authority) });
      const issued = await generate([{ name: 'commonName', value: name ?? 'localhost' }], {
        ...common,
        ...dates,
        ...(!selfSigned && { ca: signing(issuer) }),
        extensions: extensionsOf(name, { clientOnly, clientToo }),
      });
      return { key: issued.private, cert: [issued.cert, ...presented].join('\n') };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function issuerOf(kind: keyof typeof ISSUERS, options: SelfsignedOptions) {
  const { cA, isPresented } = ISSUERS[kind];
  const issuer = await generate([{ name: 'commonName', value: `Junction ${kind} issuer` }], {
    ...options,
    extensions: [
      { name: 'basicConstraints', cA, critical: true },
      { name: 'keyUsage', keyCertSign: cA, digitalSignature: true, critical: true },
    ],
  });
  return { issuer, presented: isPresented ? [issuer.cert] : [] };
}

const extensionsOf = (
  name: string | undefined,
  {
    clientOnly = false,
    clientToo = clientOnly,
  }: { clientOnly: boolean | undefined; clientToo: boolean | undefined },
) => [
  { name: 'basicConstraints' as const, cA: false },
  { name: 'keyUsage' as const, digitalSignature: true },
  { name: 'extKeyUsage' as const, serverAuth: !clientOnly, clientAuth: clientToo },
  {
    name: 'subjectAltName' as const,
    altNames: name === undefined ? NAMES : [{ type: 2 as const, value: name }],
  },
];

const signing = ({ private: key, cert }: { readonly private: string; readonly cert: string }) => ({
  key,
  cert,
});

const NAMES = [
  { type: 2 as const, value: 'localhost' },
  { type: 7 as const, ip: '127.0.0.1' },
  { type: 7 as const, ip: '::1' },
];

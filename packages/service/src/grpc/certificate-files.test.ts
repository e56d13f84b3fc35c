import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { certificateAuthority, eventually } from '@junction/testing';
import { closeLater, closeOpened } from '../../test/loopback.js';
import { certificateFiles } from './certificate-files.js';

afterEach(closeOpened);

describe('certificates in files', () => {
  it('are told again when both files have changed, and stay while only one has', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'junction-tls-'));
    closeLater(async () => rmSync(folder, { recursive: true }));
    const authority = await certificateAuthority();
    closeLater(() => authority.close());
    const files = { certFile: path.join(folder, 'tls.crt'), keyFile: path.join(folder, 'tls.key') };
    const [first, second] = [await authority.issue(), await authority.issue()];
    writeFileSync(files.certFile, first.cert);
    writeFileSync(files.keyFile, first.key);

    const told: string[] = [];
    const problems: unknown[] = [];
    const onProblem = (problem: unknown) => void problems.push(problem);
    const provider = certificateFiles(files, { onProblem, everyMs: 5 });
    const listener = (update: { readonly certificate: Buffer } | null) =>
      void told.push(String(update?.certificate));
    provider.addIdentityCertificateListener(listener);
    closeLater(async () => provider.removeIdentityCertificateListener(listener));
    await eventually(() => expect(told).toEqual([first.cert]));

    writeFileSync(files.certFile, second.cert);
    await eventually(() => expect(problems).not.toEqual([]));
    expect(told).toEqual([first.cert]);

    writeFileSync(files.keyFile, second.key);
    await eventually(() => expect(told).toEqual([first.cert, second.cert]));
  });

  it('cannot be begun with when one is missing', () => {
    expect(() => certificateFiles({ caFile: '/nowhere/ca.pem' })).toThrow('/nowhere/ca.pem');
  });
});

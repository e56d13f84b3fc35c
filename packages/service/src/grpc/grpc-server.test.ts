import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { certificateAuthority, eventually } from '@junction/testing';
import { checkHealth, openEcho } from '../../test/echo-server.js';
import { closeLater, closeOpened, until } from '../../test/loopback.js';
import { drainGrpc } from './grpc-server.js';

afterEach(closeOpened);

describe('a gRPC server', () => {
  it('tells anybody that it is healthy', async () => {
    const { client } = await openEcho();
    expect(await checkHealth(client)).toEqual({ status: 'SERVING' });
  });

  it('lets a call in flight finish before it closes', async () => {
    const { call, close, finish, waiting } = await openEcho();
    const answer = call('say', 'wait');
    await until(() => waiting.length === 1);
    const closed = close();
    finish();
    expect(await answer).toEqual({ text: 'wait to cli_1' });
    await closed;
  });

  it('cuts a call that has not ended after four seconds', async () => {
    const { call, close, waiting, aborted } = await openEcho();
    const answer = call('say', 'wait', { deadlineMs: 20_000 });
    await until(() => waiting.length === 1);
    await Promise.all([close(), expect(answer).rejects.toMatchObject({ kind: 'unavailable' })]);
    expect(aborted).toHaveLength(1);
  });

  it('says that it is about to close, and serves on', async () => {
    const { call, client, server } = await openEcho();
    drainGrpc(server);
    expect(await checkHealth(client)).toEqual({ status: 'NOT_SERVING' });
    expect(await call('say', 'hello')).toEqual({ text: 'hello to cli_1' });
  });

  it('sends its clients elsewhere when it closes, without failing a call', async () => {
    const { call, close, another } = await openEcho();
    const second = await another();
    const ask = async () => call('say', 'hello');
    await eventually(async () => {
      await Promise.all(Array.from({ length: 10 }, ask));
      expect(await second.answered()).toBeGreaterThan(0);
    });

    const answers: Promise<unknown>[] = [];
    const loading = new AbortController();
    const load = (async () => {
      for (; !loading.signal.aborted; await setImmediate()) answers.push(ask());
    })();
    await until(() => answers.length > 20);
    await close();
    const before = answers.length;
    await until(() => answers.length > before + 20);
    loading.abort();
    await load;
    const each = await Promise.allSettled(answers);
    expect(each.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it('says what it offers to a service, when it may', async () => {
    const { reflect, serviceToken } = await openEcho({ reflection: true });
    const listed = await reflect(`Bearer ${await serviceToken()}`);
    expect(listed).toContain('junction.auth.v1.AuthService');
    expect(listed).not.toContain('junction.integrations.v1.IntegrationsService');
    await expect(reflect(undefined)).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });

  it('says nothing about what it offers otherwise', async () => {
    const { reflect, serviceToken } = await openEcho();
    await expect(reflect(`Bearer ${await serviceToken()}`)).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
    });
  });
});

describe('a gRPC server with a certificate', () => {
  let ours: Certified;
  let theirs: Certified;
  beforeAll(async () => {
    [ours, theirs] = [await certified(), await certified()];
  });
  afterAll(async () => {
    for (const { remove } of [ours, theirs]) await remove();
  });

  it('answers who trusts its authority, and in TLS alone', async () => {
    const { security, caFile } = ours;
    const { callBy } = await openEcho({ security });
    expect(await callBy({ plaintext: false, caFile })).toEqual({ text: 'hello to cli_1' });
    for (const other of [{ plaintext: false }, { plaintext: true }] as const) {
      await expect(callBy(other)).rejects.toMatchObject({ kind: 'unavailable' });
    }
  });

  it('uses a renewed one without a restart', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'junction-tls-'));
    closeLater(() => rm(folder, { recursive: true }));
    const files = { certFile: path.join(folder, 'tls.crt'), keyFile: path.join(folder, 'tls.key') };
    const show = async ({ security }: Certified) => {
      await copyFile(security.certFile, files.certFile);
      await copyFile(security.keyFile, files.keyFile);
    };
    await show(ours);
    const security = { plaintext: false, ...files } as const;
    const { callBy } = await openEcho({ security, readCertificatesEveryMs: 5 });
    await show(theirs);
    await eventually(async () => {
      const answer = await callBy({ plaintext: false, caFile: theirs.caFile });
      expect(answer).toEqual({ text: 'hello to cli_1' });
    });
    await expect(callBy({ plaintext: false, caFile: ours.caFile })).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  it('that asks for certificates lets in who shows one of its authority', async () => {
    const { security, caFile } = ours;
    const { callBy } = await openEcho({ security: { ...security, caFile, mutual: true } });
    const shown = { ...security, caFile, mutual: true };
    expect(await callBy(shown)).toEqual({ text: 'hello to cli_1' });

    const stranger = { ...theirs.security, caFile, mutual: true };
    for (const other of [stranger, { plaintext: false, caFile } as const]) {
      await expect(callBy(other)).rejects.toMatchObject({ kind: 'unavailable' });
    }
  });

  it('does not open without its certificate', async () => {
    await expect(openEcho({ security: { plaintext: false } })).rejects.toThrow(
      'GRPC_TLS_CERT_FILE',
    );
  });
});

type Certified = Awaited<ReturnType<typeof certified>>;

/** Creates a certificate of an authority that no client trusts by default. */
async function certified() {
  const authority = await certificateAuthority();
  const folder = await mkdtemp(path.join(tmpdir(), 'junction-tls-'));
  const { key, cert } = await authority.issue({ clientToo: true });
  const certFile = path.join(folder, 'tls.crt');
  const keyFile = path.join(folder, 'tls.key');
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  const remove = async () => {
    await authority.close();
    await rm(folder, { recursive: true });
  };
  return {
    security: { plaintext: false, certFile, keyFile } as const,
    caFile: authority.file,
    remove,
  };
}

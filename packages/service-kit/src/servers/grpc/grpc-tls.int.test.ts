import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { certificateAuthority } from '@junction/testing';
import { echoService } from '../../../test/echo.js';
import { ISSUER, issuer } from '../../../test/issuer.js';
import { closeLater, closeOpened, readableLog } from '../../../test/loopback.js';
import { closeChannel, grpcChannel, unaryCall } from '../../callers/grpc-channel.js';
import { remoteKeys, tokenVerifier } from '../../callers/token-verifier.js';
import type { GrpcSecurity } from '../../process/config/common-environment.js';
import { metrics } from '../../process/metrics.js';
import { closeGrpc, grpcServer } from './grpc-server.js';
import { unary } from './handlers.js';

afterEach(closeOpened);

describe('a gRPC server with a certificate', () => {
  it('answers who trusts its authority', async () => {
    const { caFile, call } = await open();
    expect(await call({ plaintext: false, caFile })).toEqual({ text: 'hello' });
  });

  it('is not believed by who does not', async () => {
    const { call } = await open();
    await expect(call({ plaintext: false })).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('does not speak in clear', async () => {
    const { call } = await open();
    await expect(call({ plaintext: true })).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('does not open without its certificate', async () => {
    await expect(server({ plaintext: false })).rejects.toThrow('GRPC_TLS_CERT_FILE');
  });
});

async function open() {
  const authority = await certificateAuthority();
  closeLater(() => authority.close());
  const folder = await mkdtemp(path.join(tmpdir(), 'junction-tls-'));
  closeLater(() => rm(folder, { recursive: true }));
  const { key, cert } = await authority.issue();
  const certFile = path.join(folder, 'tls.crt');
  const keyFile = path.join(folder, 'tls.key');
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);

  const { port, serviceToken } = await server({ plaintext: false, certFile, keyFile });
  const token = await serviceToken();
  const call = async (security: GrpcSecurity) => {
    const tokens = Object.assign(async () => token, { refused: () => {} });
    const channel = grpcChannel({ address: `localhost:${port}`, security, tokens });
    closeLater(async () => closeChannel(channel));
    return unaryCall(channel, echoService.say, { text: 'hello' }, { deadlineMs: 60_000 });
  };
  return { caFile: authority.file, call };
}

async function server(security: GrpcSecurity) {
  const auth = await issuer();
  const { log } = readableLog();
  const opened = await grpcServer({
    log,
    metrics: metrics('test'),
    host: 'localhost',
    port: 0,
    security,
    verify: tokenVerifier({
      keys: remoteKeys(auth.jwksUrl),
      issuer: ISSUER,
      audience: 'auth',
      kind: 'service',
    }),
    services: [
      {
        definition: echoService,
        implementation: {
          say: unary<{ text: string }, { text: string }>(log, async ({ text }) => ({ text })),
        },
        scopes: { say: 'credentials:verify' },
      },
    ],
  });
  closeLater(() => closeGrpc(opened));
  return { port: opened.port, serviceToken: auth.serviceToken };
}

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, spawnGuarded } from '@junction/local-stack/process';
import { eventually } from '@junction/testing';
import { stringify } from 'yaml';
import { definitionsFor, downloaded } from './custom-resources.js';
import { type Manifest, run } from './manifests.js';

const STOP_GRACE_MS = 10_000;
const KUBERNETES = {
  module: 'k8s.io/kubernetes@v1.36.3',
  sum: 'h1:qDQdoMiluAE2Eab6Fa52YV+WjiGz9mZFFoagEA6cI+o=',
} as const;
/** Version of the modules that are folders of k8s.io/kubernetes in its repository. */
const STAGING = 'v0.36.3';
const MAIN = `package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
`;

export interface ApiServer {
  /** Runs kubectl on it with this input. Returns its output; throws with what it says when it fails. */
  kubectl(args: readonly string[], input?: string): string;
  stop(): Promise<void>;
}

/**
 * Starts Kubernetes' own API server on Debian's etcd, with the definitions of these custom resources, and nothing that
 * acts on what it stores. The first time the server is compiled, which takes ten minutes on two processors.
 */
export async function startApiServer(manifests: readonly Manifest[]): Promise<ApiServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'junction-api-server-'));
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of stops.toReversed()) await end();
  };
  try {
    const program = compiled(folder);
    const start = (command: string, args: readonly string[]) => {
      const log = path.join(folder, `${path.basename(command)}.log`);
      const child = spawnGuarded({
        command,
        args,
        log,
        stopSignal: 'SIGTERM',
        graceMs: STOP_GRACE_MS,
      });
      stops.push(() => child.stop());
      return log;
    };
    const etcd = `http://127.0.0.1:${await freePort()}`;
    const peer = `http://127.0.0.1:${await freePort()}`;
    start('etcd', [
      `--data-dir=${path.join(folder, 'etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ]);
    const keyFile = path.join(folder, 'account.key');
    const tokenFile = path.join(folder, 'tokens.csv');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    writeFileSync(keyFile, privateKey.export({ type: 'pkcs1', format: 'pem' }));
    writeFileSync(tokenFile, 'token,operator,1,system:masters\n');
    const port = await freePort();
    const log = start(program, [
      `--etcd-servers=${etcd}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${path.join(folder, 'certificates')}`,
      '--service-cluster-ip-range=10.96.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${keyFile}`,
      `--service-account-signing-key-file=${keyFile}`,
      `--token-auth-file=${tokenFile}`,
    ]);
    const config = path.join(folder, 'kubeconfig');
    const server = `https://127.0.0.1:${port}`;
    writeFileSync(config, kubeconfig(server));
    const kubectl = (args: readonly string[], input = '') =>
      run('kubectl', [`--kubeconfig=${config}`, ...args], input);
    await eventually(async () => {
      try {
        kubectl(['get', '--raw', '/readyz']);
      } catch (error) {
        throw new Error(readFileSync(log, 'utf8').slice(-2_000), { cause: error });
      }
    });
    kubectl(['apply', '--server-side', '--filename', '-'], definitionsFor(manifests));
    kubectl(['wait', 'crd', '--all', '--for', 'condition=Established', '--timeout', '1m']);
    return { kubectl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Compiles the server in a folder, from the modules that Go's checksum database knows; Go keeps what is compiled. */
function compiled(folder: string): string {
  const kubernetes = downloaded(KUBERNETES);
  const staging = readFileSync(path.join(kubernetes, 'go.mod'), 'utf8').matchAll(
    /^\t(k8s\.io\/\S+) => \.\/staging/gm,
  );
  const replaced = [...staging].map(([, name = '']) => `replace ${name} => ${name} ${STAGING}`);
  const [module, version] = KUBERNETES.module.split('@');
  const lines = ['module junction/api-server', 'go 1.26.0', `require ${module} ${version}`];
  writeFileSync(path.join(folder, 'go.mod'), [...lines, ...replaced, ''].join('\n'));
  writeFileSync(path.join(folder, 'main.go'), MAIN);
  run('go', ['-C', folder, 'mod', 'tidy']);
  run('go', ['-C', folder, 'build', '-ldflags=-s -w', '-o', 'kube-apiserver', '.']);
  return path.join(folder, 'kube-apiserver');
}

const kubeconfig = (server: string) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: { token: 'token' } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  });

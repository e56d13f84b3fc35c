import { createWriteStream } from 'node:fs';
import { type GenericContainer, getContainerRuntimeClient } from 'testcontainers';
import { openLog } from '../process/log-file.js';
import type { RunningServer, ServerExit } from '../process/running-server.js';

const READY_MS = 60_000;
const GRACE_MS = 8_000;
const LOOPBACK = '127.0.0.1';

/** Returns the host at which the engine's ports are reached from here. */
export async function engineHost(): Promise<string> {
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
  return host === 'localhost' ? LOOPBACK : host;
}

/** Ports of an engine on this machine are for this machine alone; the engine's habit is all addresses. */
export async function bindLocally(hostConfig: GenericContainer['hostConfig']): Promise<void> {
  if ((await engineHost()) !== LOOPBACK) return;
  const bindings: { HostIp?: string }[][] = Object.values(hostConfig.PortBindings);
  for (const binding of bindings.flat()) binding.HostIp = LOOPBACK;
}

/** The settings that the servers' containers have in common. */
export interface ContainerUse {
  /** File that receives the output of the container. */
  readonly log: string;
  readonly port: { readonly container: number; readonly host: number };
  /** Volume that keeps the data when the container is gone; absent for data that may be lost. */
  readonly volume?: { readonly source: string; readonly target: string } | undefined;
}

/**
 * Starts a container and waits as its wait strategy says. testcontainers removes it when this
 * process is gone, however it ends.
 */
export async function startContainer(
  container: GenericContainer,
  { log, port, volume }: ContainerUse,
): Promise<RunningServer> {
  if (volume) container.withBindMounts([volume]);
  const started = await container
    .withExposedPorts(port)
    .withStartupTimeout(READY_MS)
    .withLogConsumer((words) => {
      words.pipe(createWriteStream(log, { fd: openLog(log) }));
    })
    .start();
  const client = await getContainerRuntimeClient();
  const exited = client.container.getById(started.getId()).wait().then(exitOf, exitOf);
  const stop = async () => {
    await started.stop({ timeout: GRACE_MS, remove: true, removeVolumes: true });
  };
  return { port: port.host, pid: undefined, exited, stop };
}

/** Reads the engine's answer to "wait for the end". A container that the engine no longer knows has ended, too. */
function exitOf(answer: unknown): ServerExit {
  const code = (answer as { StatusCode?: unknown } | undefined)?.StatusCode;
  return { code: typeof code === 'number' ? code : null, signal: null };
}

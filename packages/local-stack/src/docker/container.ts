import { createWriteStream } from 'node:fs';
import type { StartedTestContainer } from 'testcontainers';
import { openLog } from '../process/log-file.js';
import { waitUntilReady } from '../process/readiness.js';
import type { RunningServer, ServerExit } from '../process/running-server.js';

const READY_MS = 60_000;
const GRACE_MS = 8_000;

/** Where the engine's ports are reached from here. */
export async function engineHost(): Promise<string> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** One server in a container. */
export interface ContainerSpec {
  readonly image: string;
  /** The file that gets what it prints. */
  readonly log: string;
  readonly port: { readonly container: number; readonly host: number };
  readonly environment: Record<string, string>;
  readonly command?: string[];
  /** Keeps the data when the container is gone. */
  readonly volume?: { readonly name: string; readonly target: string };
}

/** A container that runs; its server may not answer yet. */
export type StartedContainer = Omit<RunningServer, 'port'> & {
  /** Where its ports are reached. */
  readonly host: string;
  readonly log: string;
};

/** Starts a container that testcontainers removes when this process is gone, however it ends. */
export async function startContainer(spec: ContainerSpec): Promise<StartedContainer> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const host = await engineHost();

  /** On this machine its port is for this machine alone. */
  class LocalContainer extends GenericContainer {
    protected override async beforeContainerCreated(): Promise<void> {
      if (host !== '127.0.0.1') return;
      const binding = [{ HostIp: host, HostPort: String(spec.port.host) }];
      this.hostConfig.PortBindings = { [`${spec.port.container}/tcp`]: binding };
    }
  }

  const container = new LocalContainer(spec.image)
    .withExposedPorts(spec.port)
    .withEnvironment(spec.environment)
    .withStartupTimeout(READY_MS)
    // A first word is enough here: we ask the server itself, as with an embedded one.
    .withWaitStrategy(Wait.forLogMessage(/./))
    .withLogConsumer((words) => {
      words.pipe(createWriteStream(spec.log, { fd: openLog(spec.log) }));
    });
  if (spec.command) container.withCommand(spec.command);
  if (spec.volume)
    container.withBindMounts([{ source: spec.volume.name, target: spec.volume.target }]);

  const started = await container.start();
  const client = await getContainerRuntimeClient();
  const exited = client.container.getById(started.getId()).wait().then(exitOf, exitOf);
  return { host, log: spec.log, pid: undefined, exited, stop: () => stopContainer(started) };
}

const stopContainer = async (container: StartedTestContainer): Promise<void> => {
  await container.stop({ timeout: GRACE_MS, remove: true, removeVolumes: true });
};

/** The engine's answer to "wait for the end"; one that went away has ended too. */
function exitOf(answer: unknown): ServerExit {
  const code = (answer as { StatusCode?: unknown } | undefined)?.StatusCode;
  return { code: typeof code === 'number' ? code : null, signal: null };
}

/** Waits until it answers; stops it when it does not. */
export async function containerReady(
  server: string,
  started: StartedContainer,
  answers: () => Promise<boolean>,
  say: (line: string) => void,
): Promise<void> {
  try {
    await waitUntilReady({ server, ...started, answers, deadlineMs: READY_MS, say });
  } catch (error) {
    await started.stop();
    throw error;
  }
}

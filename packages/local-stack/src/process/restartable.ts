import type { RunningServer, ServerExit } from './running-server.js';

/** A server that can be started again where it was. */
export interface Restartable<Server extends RunningServer> {
  /** The one started last. */
  current(): Server;
  /** Called when one ends that was not asked to. */
  onExit(listener: (exit: ServerExit) => void): void;
  /** Starts the server again on the same port; ends the running one first. */
  restart(): Promise<void>;
  /** Ends the server for good: a restart under way is called off. */
  stop(): Promise<void>;
}

/** Starts a server and remembers how. `signal` calls it off, now and in later restarts. */
export async function restartable<Server extends RunningServer>(
  port: number | undefined,
  signal: AbortSignal | undefined,
  start: (at: { port: number | undefined; signal: AbortSignal }) => Promise<Server>,
): Promise<Restartable<Server>> {
  const off = new AbortController();
  const either = signal ? AbortSignal.any([signal, off.signal]) : off.signal;
  const listeners: ((exit: ServerExit) => void)[] = [];
  const asked = new Set<Server>();
  let restarting: Promise<void> | undefined;

  const started = async (at: number | undefined): Promise<Server> => {
    const server = await start({ port: at, signal: either });
    void server.exited.then((exit) => {
      if (asked.delete(server) || either.aborted) return;
      for (const listener of listeners) listener(exit);
    });
    return server;
  };
  let server = await started(port);

  const again = async () => {
    asked.add(server);
    await server.stop();
    server = await started(server.port);
  };
  return {
    current: () => server,
    onExit: (listener) => void listeners.push(listener),
    restart: () => (restarting ??= again().finally(() => (restarting = undefined))),
    async stop() {
      off.abort();
      await restarting?.catch(() => undefined);
      await server.stop();
    },
  };
}

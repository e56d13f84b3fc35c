import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { freePort, type TokenIssuer } from '@junction/testing';
import { ask, ended } from './ask.js';
import { until } from './clock.js';

const MAIN = path.resolve(
  import.meta.dirname,
  '../../../../services/webhook-dispatcher/dist/src/main.js',
);
const PROBE = path.join(import.meta.dirname, 'probe.js');
const READY_WITHIN_MS = 60_000;
const CONFIGURE_AT_ONCE = 8;

/** What a dispatcher has used since it started. */
export interface Used {
  readonly statements: number;
  /** User and system time. */
  readonly cpuS: number;
  readonly rssMb: number;
}

/** A replica, as a process of its own. */
export interface Dispatcher {
  readonly url: string;
  used(): Promise<Used>;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A webhook to be. */
export interface Wish {
  readonly userId: string;
  readonly url: string;
}

export async function migrate(env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'migrate'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The migration ended with ${code}.`);
}

/** Resolves once it is ready. Whoever goes away without ending it takes it along. */
export async function startDispatcher(
  env: NodeJS.ProcessEnv,
  nodeOptions: readonly string[],
  signal: AbortSignal,
): Promise<Dispatcher> {
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [...nodeOptions, '--import', PROBE, MAIN], {
    env: { ...env, HTTP_PORT: String(httpPort), GRPC_PORT: String(grpcPort) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${httpPort}`;
  const dispatcher = {
    url,
    used: () => ask<Used>(child, { ask: 'used' }),
    end: (signal: NodeJS.Signals) => ended(child, () => child.kill(signal)),
  };
  try {
    const patience = { deadlineMs: READY_WITHIN_MS, signal };
    await until('The start of a dispatcher', () => isReady(child, url), patience);
    return dispatcher;
  } catch (error) {
    await dispatcher.end('SIGKILL');
    throw error;
  }
}

async function isReady(child: ChildProcess, url: string): Promise<true | undefined> {
  if (child.exitCode !== null) throw new Error(`A dispatcher ended with ${child.exitCode}.`);
  const answer = await fetch(`${url}/internal/health/ready`).catch(() => undefined);
  return answer?.ok === true ? true : undefined;
}

/** Configures webhooks, each with a secret of its own. Resolves when all are there. */
export async function configure(
  { url }: Dispatcher,
  issuer: TokenIssuer,
  wishes: readonly Wish[],
): Promise<void> {
  const left = [...wishes];
  const work = async () => {
    for (let wish = left.pop(); wish; wish = left.pop()) await configureOne(url, issuer, wish);
  };
  await Promise.all(Array.from({ length: CONFIGURE_AT_ONCE }, work));
}

async function configureOne(base: string, issuer: TokenIssuer, wish: Wish): Promise<void> {
  const answer = await fetch(`${base}/api/webhooks/configure`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${issuer.userToken(wish.userId)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      url: wish.url,
      events: ['inbox.organized'],
      enabled: true,
      secret: `secret of ${randomUUID()}`,
    }),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`configure answered ${answer.status}: ${text}`);
}

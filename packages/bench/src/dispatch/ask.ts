import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts a program that answers by messages, and ends when this process does. */
export const startChild = (program: string, args: readonly string[] = []): ChildProcess =>
  spawn(process.execPath, [program, ...args], {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });

/** Asks a child that answers every message with one. Rejects when it ends instead. */
export const ask = <Answer>(child: ChildProcess, question: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const onMessage = (answer: unknown) => {
      child.off('exit', onExit);
      resolve(answer as Answer);
    };
    const onExit = () => {
      child.off('message', onMessage);
      reject(new Error('It ended before it answered.'));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
    child.send(question, (error) => {
      if (error) reject(error);
    });
  });

/** Resolves when the child has ended, by what `end` does or before it. */
export async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  end();
  await exited;
}

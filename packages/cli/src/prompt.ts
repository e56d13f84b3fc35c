import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { usage } from './failure.js';
import type { World } from './world.js';

/** Questions to a person. Piped input answers them line by line. */
export interface Prompt {
  /** `secret`: what is typed is not shown. Failure (usage) when there is nobody to ask. */
  ask(question: string, secret?: boolean): Promise<string>;
  close(): void;
}

export function prompt({ input, output }: Pick<World, 'input' | 'output'>): Prompt {
  let isSecret = false;
  const screen = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isSecret) process.stderr.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input, output: screen, terminal: input.isTTY === true });
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask(question, secret = false) {
      if (input.isTTY === true) process.stderr.write(`${question}: `);
      isSecret = secret;
      const line = await lines.next();
      isSecret = false;
      if (secret && input.isTTY === true) output.note('');
      if (line.done === true) throw usage(`Nobody answered: ${question}`);
      return line.value;
    },
    close: () => reader.close(),
  };
}

/**
 * Asks for a yes, unless `yes` was given already.
 * @throws Failure (usage) when nobody can answer
 */
export async function confirmed(
  world: World,
  yes: boolean | undefined,
  question: string,
): Promise<boolean> {
  if (yes) return true;
  if (world.input.isTTY !== true) throw usage(`${question} Say so with --yes.`);
  const asked = prompt(world);
  try {
    return /^y(es)?$/i.test((await asked.ask(`${question} [y/N]`)).trim());
  } finally {
    asked.close();
  }
}

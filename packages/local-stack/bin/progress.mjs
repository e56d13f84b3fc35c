// Says what goes on: a line for each step and, on a terminal, a bar below the lines for what takes long.
const { stderr } = process;
const CLEAR = stderr.isTTY ? '\r\u001b[K' : '';
const CELLS = 40;
const REDRAWN_MS = 200;

/** Prints a line for people; standard output belongs to the program that comes after. */
export const say = (line) => void stderr.write(`${CLEAR}${line}\n`);

/** Shows a bar until the work is through. `part` returns how much of it is done, from 0 to 1. */
export async function withBar(part, work) {
  const draw = () => stderr.write(`${CLEAR}  ${barOf(part())}`);
  const redrawn = stderr.isTTY ? setInterval(draw, REDRAWN_MS) : undefined;
  try {
    return await work;
  } finally {
    clearInterval(redrawn);
    stderr.write(CLEAR);
  }
}

/** A bar of forty cells, and the number. */
export function barOf(part) {
  const full = Math.round(Math.min(1, part) * CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${Math.floor(Math.min(1, part) * 100)} %`;
}

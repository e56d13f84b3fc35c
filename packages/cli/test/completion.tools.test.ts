import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';

const JUNCTION = path.resolve(import.meta.dirname, '../bin/junction.mjs');

let home: string;
let shell: ChildProcess | undefined;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'junction-shell-'));
  // Completes and prints scripts as the command does. Anything else it only writes down.
  const command = `#!/bin/sh
case $1 in
  __complete | completion) exec "${process.execPath}" "${JUNCTION}" "$@" ;;
esac
echo "$*" >>"${home}/ran"
`;
  mkdirSync(path.join(home, 'bin'));
  writeFileSync(path.join(home, 'bin/junction'), command, { mode: 0o755 });
});

afterEach(async () => {
  if (shell?.exitCode === null) {
    shell.kill();
    await once(shell, 'exit');
  }
  rmSync(home, { recursive: true });
});

/**
 * Shells: a name, the file that the shell reads at its start, that file's text, and the command that starts the
 * shell.
 */
const SHELLS = [
  [
    'bash',
    '.bashrc',
    'eval "$(junction completion bash)"; PS1="ready> "',
    'bash --rcfile "$HOME/.bashrc" -i',
  ],
  [
    'zsh, by eval',
    '.zshrc',
    'autoload -U compinit; compinit -u; eval "$(junction completion zsh)"; PS1="ready> "',
    'zsh -i',
  ],
  [
    'zsh, by a file of its own',
    '.zshrc',
    'junction completion zsh >~/_junction; fpath=(~ $fpath); autoload -U compinit; compinit -u; PS1="ready> "',
    'zsh -i',
  ],
  [
    'fish',
    '.config/fish/config.fish',
    'junction completion fish | source; function fish_prompt; echo "ready> "; end; set fish_greeting',
    'fish -i',
  ],
] as const;

/** The keys typed into a shell, and the command line that the shell then runs. */
const LINES = [
  ['web\t list', 'webhooks list'],
  ['deliveries rese\t wh_1', 'deliveries resend wh_1'],
  ['restore \t webhooks', 'restore finish webhooks'],
  ['webhooks create --no-s\t x', 'webhooks create --no-secret x'],
  ['projections list -s integ\t', 'projections list -s integrations'],
] as const;

it.each(SHELLS)(
  'Tab in %s completes commands, options and choices',
  async (_, file, lines, start) => {
    const config = path.join(home, file);
    mkdirSync(path.dirname(config), { recursive: true });
    writeFileSync(config, `${lines}\n`);
    const screen = open(start);
    await eventually(() => expect(screen()).toContain('ready> '));
    for (const [index, [typed]] of LINES.entries()) {
      shell?.stdin?.write(`junction ${typed}\r`);
      const expected = LINES.slice(0, index + 1).map(([, ran]) => ran);
      await eventually(() => expect(whatRan()).toEqual(expected));
    }
  },
);

/** Starts it at a terminal of its own, and gives what that shows. */
function open(start: string): () => string {
  const { PATH } = process.env;
  const env = {
    HOME: home,
    PATH: `${home}/bin:${PATH}`,
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
  };
  shell = spawn('script', ['-qec', start, '/dev/null'], { cwd: home, env });
  let text = '';
  shell.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

function whatRan(): readonly string[] {
  const file = path.join(home, 'ran');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

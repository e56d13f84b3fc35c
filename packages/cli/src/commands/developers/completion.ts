import { Argument, Command } from 'commander';
import { commandOf } from '../../verbs.js';
import type { World } from '../../world.js';

/**
 * Completion scripts. Each of them asks the command for candidates, so the scripts don't change with the commands.
 */
const SCRIPTS = {
  bash: `_junction() {
  local IFS=$'\\n'
  COMPREPLY=($(junction __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _junction junction
`,
  // Installed as a file it runs when the first Tab asks for it, by eval before.
  zsh: `#compdef junction
_junction() {
  local -a found
  found=("\${(@f)$(junction __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
if [[ $funcstack[1] == _junction ]]; then _junction; else compdef _junction junction; fi
`,
  fish: `complete -c junction -f -a '(junction __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
} as const;

/** `junction completion` */
export const command = ({ output }: World) =>
  commandOf({
    name: 'completion',
    about: 'a script that completes commands and options with Tab',
    examples: ['completion bash > ~/.local/share/bash-completion/completions/junction'],
  })
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => output.out(SCRIPTS[shell]));

/** Command that the completion scripts call: prints the candidates for the last word, one on each line. */
export const completeCommand = (junction: Command, { output }: World): Command =>
  new Command('__complete').argument('[words...]').action((words: readonly string[]) =>
    output.out(
      candidates(junction, words)
        .map((one) => `${one}\n`)
        .join(''),
    ),
  );

/** Returns the words that the last word may become, given the words before it. */
export function candidates(junction: Command, words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? '';
  let command = junction;
  for (const word of words.slice(0, -1)) {
    command = command.commands.find((inner) => inner.name() === word) ?? command;
  }
  const option = command.options.find(({ long, short }) => [long, short].includes(words.at(-2)));
  const all =
    option?.argChoices ??
    (last.startsWith('-')
      ? command.options.flatMap(({ long }) => long ?? [])
      : [
          ...command.commands.map((inner) => inner.name()).filter((name) => !name.startsWith('_')),
          ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
        ]);
  return all.filter((one) => one.startsWith(last));
}

/** Options that stand anywhere on the line, also before the command. */
const FLAG = /^(--json|--help|-h|--(url|api-key|service)=.*)$/;
const WITH_VALUE = /^(--url|--api-key|--service|-s)$/;

/** Words of the longest name of a command: `webhooks list`. */
const NAME_WORDS_MAX = 2;

/** Returns the command line with the options that precede a command behind it, where the command looks for them. */
export function commandFirst(argv: readonly string[]): readonly string[] {
  const [names, options]: [string[], string[]] = [[], []];
  const rest = [...argv];
  while (rest.length > 0 && names.length < NAME_WORDS_MAX) {
    const [word = ''] = rest;
    if (!word.startsWith('-')) names.push(...rest.splice(0, 1));
    else if (FLAG.test(word)) options.push(...rest.splice(0, 1));
    else if (WITH_VALUE.test(word)) options.push(...rest.splice(0, 2));
    else break;
  }
  return names.length === 0 ? argv : [...names, ...options, ...rest];
}

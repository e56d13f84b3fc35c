import bowser from 'bowser';

const UNKNOWN = 'unknown device';
/** Longer than what any browser says. What parses it takes longer the longer it is. */
const USER_AGENT_CHARS_MAX = 512;

/** Programs that are no browsers, by how their User-Agent begins. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^junction-cli\b/, 'junction'],
  [/^curl\//i, 'curl'],
  [/^wget\//i, 'Wget'],
  [/^httpie\//i, 'HTTPie'],
  [/^postmanruntime\//i, 'Postman'],
  [/^(?:node|undici)\b/i, 'Node.js'],
  [/^python\b/i, 'Python'],
  [/^go-http-client\//i, 'Go'],
  [/^java\b/i, 'Java'],
  [/^okhttp\//i, 'OkHttp'],
];

const BROWSERS: ReadonlySet<string> = new Set(
  Object.values(bowser.BROWSER_MAP).filter((name) => name !== bowser.BROWSER_MAP['generic']),
);
const SYSTEMS: ReadonlySet<string> = new Set(Object.values(bowser.OS_MAP));

/**
 * On what a session begins, for a person: `Firefox on Linux`, `curl`, or `unknown device` (RFC 9110, section 10.1.5:
 * nobody has to say it). The words are from tables, because anybody may write anything into the header, and its owner's
 * page and mails show it.
 */
export function deviceOf(userAgent = ''): string {
  const said = userAgent.trim().slice(0, USER_AGENT_CHARS_MAX);
  if (said === '') return UNKNOWN;
  const [, program] = PROGRAMS.find(([begins]) => begins.test(said)) ?? [];
  return program ?? browserIn(said) ?? UNKNOWN;
}

function browserIn(said: string): string | undefined {
  const { browser, os } = bowser.parse(said);
  const isBrowser = browser.name !== undefined && BROWSERS.has(browser.name);
  const isSystem = os.name !== undefined && SYSTEMS.has(os.name);
  return isBrowser && isSystem ? `${browser.name} on ${os.name}` : undefined;
}

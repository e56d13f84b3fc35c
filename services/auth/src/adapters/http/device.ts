import bowser from 'bowser';

const DEVICE_CHARS_MAX = 100;

/**
 * What a client says it runs on, for a person: `Firefox on Linux`. Of a program that is no browser its own name.
 * Undefined: it says nothing (RFC 9110, section 10.1.5: nobody has to).
 */
export function deviceOf(userAgent: string | undefined): string | undefined {
  const said = userAgent?.replaceAll(/[^\x20-\x7e]/g, '').trim() ?? '';
  if (said === '') return undefined;
  const { browser, os } = bowser.parse(said);
  const device = browser.name && os.name ? `${browser.name} on ${os.name}` : said.split(' ', 1)[0];
  return device?.slice(0, DEVICE_CHARS_MAX);
}

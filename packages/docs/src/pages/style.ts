import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.js';

const THEME = 'packages/dashboard/src/app/theme.css';

/** A style sheet: the colours of the dashboard, what every page has, and rules of its own. */
export function styleSheet(name: string): string {
  const rules = (file: string) =>
    readFileSync(path.join(import.meta.dirname, '../../public', file), 'utf8');
  return [dashboardColours(), rules('frame.css'), rules(name)].join('\n');
}

/**
 * The dashboard's own colours, each as light-dark(): they follow the system without a script, and
 * color-scheme, where a script has set it.
 */
function dashboardColours(): string {
  const theme = readFileSync(path.join(ROOT, THEME), 'utf8');
  const [light, dark] = ['light', 'dark'].map((scheme) => coloursOf(theme, scheme));
  const both = [...(light ?? [])].flatMap(([name, value]) => {
    const other = dark?.get(name);
    return other === undefined ? [] : [`  ${name}: light-dark(${value}, ${other});`];
  });
  if (both.length === 0) throw new Error(`${THEME} has no colours for both schemes.`);
  return `:root {\n${both.join('\n')}\n}`;
}

function coloursOf(theme: string, scheme: string): ReadonlyMap<string, string> {
  const [, block = ''] =
    new RegExp(`data-mantine-color-scheme="${scheme}"\\] \\{([^}]*)\\}`).exec(theme) ?? [];
  const values = block.matchAll(/(--[\w-]+): (#[\da-f]+);/g);
  return new Map([...values].map(([, name = '', value = '']) => [name, value]));
}

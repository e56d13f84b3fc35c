import type { BenchRun, Figures } from './suite.js';

/** Measures the parts that are wanted, one after another, and gives the figures of all. */
export async function measureParts<Part>(
  { only, say }: Pick<BenchRun, 'only' | 'say'>,
  parts: Readonly<Record<string, Part>>,
  measure: (part: Part) => Promise<Figures>,
): Promise<Figures> {
  const figures: Figures[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (only.length > 0 && !only.includes(name)) continue;
    say(name);
    figures.push(await measure(part));
  }
  return Object.assign({}, ...figures) as Figures;
}

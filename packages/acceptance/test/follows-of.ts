interface Rule {
  readonly expr: string;
  readonly labels: { readonly follows?: string };
}

/**
 * Every value of the label `follows` that alerts of a rule may have; undefined: no label. A rule has it for all of its
 * alerts, or its expression gives it by `label_replace`.
 */
export function followsOf({ expr, labels }: Rule): readonly (string | undefined)[] {
  const replaced = [...expr.matchAll(/"follows",\s+"([^"]*)"/g)].map(([, value]) => value);
  return replaced.length > 0 ? replaced.map((value) => value || undefined) : [labels.follows];
}

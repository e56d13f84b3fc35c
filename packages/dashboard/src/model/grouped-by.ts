/** Returns the items by their key, groups and items in the order in which they came. */
export function groupedBy<T>(items: Iterable<T>, keyOf: (item: T) => string) {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** An item that waits for a turn. */
export interface Waiting {
  /** Milliseconds that the item's attempts have taken; raised to the clock of the turns when the item is added. */
  usedMs: number;
  /** `Turns` in which the item waits, one at a time; undefined: in none. Only `Turns` sets this mark (decision 8). */
  waitsFor?: object | undefined;
}

interface Entry<Item> {
  readonly item: Item;
  /** `usedMs` of the item when this entry was made. */
  readonly usedMs: number;
  /** Number of the entry: among equals the lowest goes first. */
  readonly number: number;
}

/**
 * Turns by time: the item that has used the least goes first. An item that was away gets no credit for it, or it could
 * keep all others waiting until the credit is spent. A heap, so adding and taking out cost the logarithm.
 */
export class Turns<Item extends Waiting> {
  readonly #heap: Entry<Item>[] = [];
  #clockMs = 0;
  #number = 0;

  add(item: Item): void {
    if (item.waitsFor === this) return;
    item.usedMs = Math.max(item.usedMs, this.#clockMs);
    item.waitsFor = this;
    this.#push(item);
  }

  delete(item: Item): void {
    if (item.waitsFor !== this) return;
    // The heap still holds the item's entry, which is skipped when it comes up.
    item.waitsFor = undefined;
  }

  /** Returns whether no item waits. Entries on top whose items have left are dropped. */
  isEmpty(): boolean {
    for (let [top] = this.#heap; top !== undefined; [top] = this.#heap) {
      if (top.item.waitsFor === this) return false;
      this.#pop();
    }
    return true;
  }

  /** Takes out the item whose turn it is. */
  next(): Item | undefined {
    for (let top = this.#pop(); top !== undefined; top = this.#pop()) {
      if (top.item.waitsFor !== this) continue;
      if (top.usedMs < top.item.usedMs) {
        // The item was charged for more while it waited.
        this.#push(top.item);
        continue;
      }
      this.delete(top.item);
      this.#clockMs = top.usedMs;
      return top.item;
    }
    return undefined;
  }

  #push(item: Item): void {
    const heap = this.#heap;
    const entry = { item, usedMs: item.usedMs, number: this.#number++ };
    let at = heap.push(entry) - 1;
    for (let up = (at - 1) >> 1; at > 0; up = (at - 1) >> 1) {
      const parent = heap[up];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = entry;
  }

  #pop(): Entry<Item> | undefined {
    const heap = this.#heap;
    const [top] = heap;
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
    return top;
  }
}

const isBefore = <Item>(one: Entry<Item>, other: Entry<Item>): boolean =>
  one.usedMs < other.usedMs || (one.usedMs === other.usedMs && one.number < other.number);

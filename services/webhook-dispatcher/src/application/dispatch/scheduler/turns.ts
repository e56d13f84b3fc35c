/** Somebody who waits for a turn. */
export interface Waiting {
  /** Milliseconds that its attempts have taken, counted on from when it began to take part. */
  usedMs: number;
  /** Whose turns it waits for, one at a time; undefined: it does not. A mark that only `Turns` sets (decision 8). */
  waitsFor?: object | undefined;
}

interface Place<Item> {
  readonly item: Item;
  /** What it had used when it took this place. */
  readonly usedMs: number;
  /** Who came first goes first among equals. */
  readonly number: number;
}

/**
 * Takes turns by time: next is who has used the least. Who was away does not come back with credit, or
 * it could keep all others waiting until that is spent. A heap: both ways cost the logarithm.
 */
export class Turns<Item extends Waiting> {
  readonly #heap: Place<Item>[] = [];
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
    // Its place is passed over when it comes up.
    item.waitsFor = undefined;
  }

  /** Nobody waits. Those that left meanwhile are passed over for good. */
  isEmpty(): boolean {
    for (let [top] = this.#heap; top !== undefined; [top] = this.#heap) {
      if (top.item.waitsFor === this) return false;
      this.#pop();
    }
    return true;
  }

  /** Whose turn it is, taken out. */
  next(): Item | undefined {
    for (let top = this.#pop(); top !== undefined; top = this.#pop()) {
      if (top.item.waitsFor !== this) continue;
      if (top.usedMs < top.item.usedMs) {
        // It was charged for more while it waited.
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
    const place = { item, usedMs: item.usedMs, number: this.#number++ };
    let at = heap.push(place) - 1;
    for (let up = (at - 1) >> 1; at > 0; up = (at - 1) >> 1) {
      const parent = heap[up];
      if (parent === undefined || !isBefore(place, parent)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = place;
  }

  #pop(): Place<Item> | undefined {
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

const isBefore = <Item>(one: Place<Item>, other: Place<Item>): boolean =>
  one.usedMs < other.usedMs || (one.usedMs === other.usedMs && one.number < other.number);

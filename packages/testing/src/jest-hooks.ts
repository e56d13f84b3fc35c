type Hook = (run: () => Promise<void>, timeoutMs?: number) => void;

/**
 * The hooks of the running test file. Taken when asked for and not imported: this package also
 * serves programs outside jest, where importing @jest/globals throws.
 */
export function jestHooks(): { readonly beforeAll: Hook; readonly afterAll: Hook } {
  const { beforeAll, afterAll } = globalThis as { beforeAll?: Hook; afterAll?: Hook };
  if (beforeAll && afterAll) return { beforeAll, afterAll };
  throw new Error('This is for test files: there is no beforeAll here.');
}

/** A variable that `npm test` sets, or whoever runs one stack for many runs. */
export function fromTestStack(variable: string): string {
  const value = process.env[variable];
  if (value) return value;
  throw new Error(
    `${variable} is not set. Run npm test, or export what ` +
      '"node packages/local-stack/bin/stack.mjs --ephemeral" prints.',
  );
}
